/** Settings of a bot whose members may order as much as they like. */
export const noLimits = {
  TOTAL_BUDGET: 'none',
  DEFAULT_SERVER_BUDGET: 'none',
  DEFAULT_MEMBER_BUDGET: 'none',
  DIRECT_BUDGET: 'none',
  MEMBER_RATE: 'none',
  SERVER_RATE: 'none',
};
