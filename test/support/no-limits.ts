/** Settings for a bot whose members can make any number of requests. */
export const noLimits = {
  TOTAL_BUDGET: 'none',
  DEFAULT_SERVER_BUDGET: 'none',
  DEFAULT_MEMBER_BUDGET: 'none',
  DIRECT_BUDGET: 'none',
  MEMBER_RATE: 'none',
  SERVER_RATE: 'none',
  MAX_ANSWERS: '10000',
  MAX_ANSWERS_PER_MEMBER: '10000',
  MAX_TALKS: '1000',
  MAX_TALKS_PER_MEMBER: '1000',
};
