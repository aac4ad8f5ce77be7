import type { FastClockFixture } from '../quick.ts';

export interface Place {
  who?: string;
  channel?: string;
}

export const poster = {
  name: 'Poster',
  command: 'imagine',
  template: '{prompt}, poster --ar 2:3',
  options: 'style:raw',
};

export const actorOf = ({ discord }: FastClockFixture, { who = 'member', channel = 'studio' }: Place) =>
  discord.as(who).in(channel);

/** The private reply to a command of `/preset`. */
export const presetReply = async (
  fixture: FastClockFixture,
  command: string,
  options: Record<string, string>,
  place: Place = {},
) => (await actorOf(fixture, place).slash(`preset ${command}`, options)).message();

/** The names that the option `preset` suggests. */
export const suggestionsOf = async (
  fixture: FastClockFixture,
  place: Place = {},
  command = 'preset use',
  input = '',
): Promise<string[]> =>
  (await actorOf(fixture, place).complete(command, { prompt: 'a fox', preset: input }, 'preset')).map(
    ({ name }) => name,
  );
