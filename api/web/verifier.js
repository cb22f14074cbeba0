// A worker: a long log is checked without holding the page up.

import { verify } from "./verify.js";

self.onmessage = ({ data }) => self.postMessage(verify(data));
