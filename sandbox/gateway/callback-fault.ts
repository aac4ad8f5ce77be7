/**
 * What a fault does to a job's callbacks. `forged` adds forged final callbacks;
 * `challenge` sends a value first, which the receiver has to return.
 */
export const callbackFaults = ['lost', 'lost-end', 'late', 'doubled', 'forged', 'challenge'] as const;
export type CallbackFault = (typeof callbackFaults)[number];
