// @ts-check
// All checks of this page, in a worker that does not block it.

import {verifySignatures} from "./signatures.js";
import {verifyTable} from "./table_rules.js";
import {verify} from "./verify.js";

export const verifyAll = async record =>
	({checks: [...verify(record).checks, ...verifyTable(record), ...await verifySignatures(record)]});

if (!globalThis.document) globalThis.onmessage = async ({data}) => globalThis.postMessage(await verifyAll(data));
