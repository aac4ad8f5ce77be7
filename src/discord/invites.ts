/** Nobody sees it, and everything that looks for links takes it for white space, where an address ends. */
const BREAK = '\ufeff';

/** With whatever a browser takes for a dot. Links to messages stay: the bot makes them itself; and so do Discord's own files. */
const INVITING =
  /(?<!(?:cdn|media)(?:[.\u3002\uff0e\uff61]|%2e))discord(?:app)?(?=(?:[.\u3002\uff0e\uff61]|%2e)(?:gg|new|gifts?|com(?!\/channels\/(?:@me|\d+)\/\d+(?:\/\d+)?(?![\w/.%-]))(?=\/)))/gi;
/** What stands before the host of an address is shorter. */
const ADDRESS = /https?:(?=(\/\/[^\s<>]{0,300}))/gi;

/**
 * Discord's clients unfold invites, gifts, templates and applications wherever their address stands in a message, without a scheme and
 * within angle brackets too, and no flag keeps them from it. Words of a member or a model would advertise in the bot's name. The address
 * stays readable, and leads nowhere.
 */
export function withoutInvites(text: string): string {
  const withoutSchemes = text.replace(ADDRESS, (scheme: string, rest: string) =>
    rest.search(INVITING) < 0 ? scheme : scheme + BREAK,
  );
  return withoutSchemes.replace(INVITING, `$&${BREAK}`);
}
