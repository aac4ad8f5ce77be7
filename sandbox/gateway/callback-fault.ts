/** What happens to a job's callbacks. `forged` adds false ends; `challenge` first requires the receiver to return a value. */
export const callbackFaults = ['lost', 'lost-end', 'late', 'doubled', 'forged', 'challenge'] as const;
export type CallbackFault = (typeof callbackFaults)[number];
