// A worker: a long log is checked without holding the page up.

import {verifyOrder} from "./order_rules.js";
import {verifySignatures} from "./signatures.js";
import {verifyTable} from "./table_rules.js";
import {verify} from "./verify.js";

self.onmessage = async ({data}) => {
	const checks = [...verify(data).checks, ...verifyTable(data), ...verifyOrder(data)];
	self.postMessage({checks: [...checks, ...await verifySignatures(data)]});
};
