/** For `catch`: handles errors of one type. Any other error is thrown again. */
export const expecting =
  <E extends Error, T>(type: abstract new (...args: never) => E, handle: (error: E) => T) =>
  (error: unknown): T => {
    if (error instanceof type) return handle(error);
    throw error;
  };
