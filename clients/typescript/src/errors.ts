/** A problem (RFC 9457); some have more members, such as `verdict`. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  [member: string]: unknown;
}

/**
 * The exception for requests that the API refuses; `type` identifies the problem, such as `/problems/illegal-move`. `errors` has a class for
 * each of them.
 */
export class ApiError extends Error {
  override readonly name: string = "ApiError";
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
    this.type = problem.type;
    this.status = problem.status;
    const verdict = problem["verdict"] as { rule?: string; reason?: string } | undefined;
    this.rule = verdict?.rule;
    this.reason = verdict?.reason;
  }
}
