// A worker: a long log is checked without holding the page up.

import { verifyTable } from "./table_rules.js";
import { verify } from "./verify.js";

self.onmessage = ({ data }) => self.postMessage({ checks: [...verify(data).checks, ...verifyTable(data)] });
