/** A problem (RFC 9457); some have more members, such as `verdict`. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  [member: string]: unknown;
}

/** The exception for requests that the API refuses; `type` identifies the problem, such as `/problems/illegal-move`. */
export class ApiError extends Error {
  readonly type: string;
  readonly status: number;
  /** The id of the rule that a move breaks, and what the rule says of it. */
  readonly rule: string | undefined;
  readonly reason: string | undefined;

  constructor(
    readonly problem: Problem,
    readonly requestId: string | null = null,
  ) {
    super(`${problem.status} ${problem.title}: ${problem.detail}`);
    this.name = "ApiError";
    this.type = problem.type;
    this.status = problem.status;
    const verdict = problem["verdict"] as { rule?: string; reason?: string } | undefined;
    this.rule = verdict?.rule;
    this.reason = verdict?.reason;
  }

  /** Create an error from an answer; a proxy's answer may have no problem in it. */
  static async of(response: Response): Promise<ApiError> {
    const text = await response.text();
    const unknown = { type: "about:blank", title: response.statusText, status: response.status, detail: text.slice(0, 200) };
    const problem: Problem = { ...unknown, ...members(text) };
    return new ApiError(problem, response.headers.get("X-Request-Id"));
  }
}

function members(text: string): object {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" && found !== null ? found : {};
  } catch {
    return {};
  }
}
