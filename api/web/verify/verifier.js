// All checks of this page, in a worker that does not block it.

import {verifySignatures} from "./signatures.js";
import {verifyTable} from "./table_rules.js";
import {verify} from "./verify.js";

export const verifyAll = async record =>
	({checks: [...verify(record).checks, ...verifyTable(record), ...await verifySignatures(record)]});

if (!self.document) self.onmessage = async ({data}) => self.postMessage(await verifyAll(data));
