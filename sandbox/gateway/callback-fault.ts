/** What happens to the callbacks of a job. `forged` adds wrong ends, `challenge` demands a value back before the first. */
export const callbackFaults = ['lost', 'lost-end', 'late', 'doubled', 'forged', 'challenge'] as const;
export type CallbackFault = (typeof callbackFaults)[number];
