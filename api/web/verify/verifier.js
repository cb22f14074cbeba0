// A worker: a long log is checked without holding the page up.

import {verifySignatures} from "./signatures.js";
import {verifyTable} from "./table_rules.js";
import {verify} from "./verify.js";

self.onmessage = async ({data}) => {
	const checks = [...verify(data).checks, ...verifyTable(data)];
	self.postMessage({checks: [...checks, ...await verifySignatures(data)]});
};
