import type { Say } from '../locales/index.ts';

/** A member's mention, until their data is erased. */
export const memberMention = (memberId: string | undefined, say: Say): string =>
  memberId === undefined ? say('deletedMember') : `<@${memberId}>`;
