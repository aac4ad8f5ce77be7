import { ContextMenuCommandBuilder, type Interaction, SlashCommandBuilder } from 'discord.js';
import { expect, onTestFinished } from 'vitest';
import { handleInteractions, startClient, startFixture } from './fixture.ts';

export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

const commands = [
  new SlashCommandBuilder()
    .setName('imagine')
    .setDescription('Makes an image')
    .addStringOption((option) =>
      option.setName('prompt').setDescription('Words').setRequired(true).setMaxLength(20).setAutocomplete(true),
    )
    .addIntegerOption((option) => option.setName('count').setDescription('How many').setMinValue(1).setMaxValue(4))
    .addAttachmentOption((option) => option.setName('image').setDescription('An image'))
    .addUserOption((option) => option.setName('friend').setDescription('A user'))
    .toJSON(),
  new SlashCommandBuilder()
    .setName('music')
    .setDescription('Makes music')
    .addSubcommand((sub) =>
      sub
        .setName('follow')
        .setDescription('Follows')
        .addStringOption((option) =>
          option.setName('id').setDescription('Which').addChoices({ name: 'One', value: '1' }),
        ),
    )
    .toJSON(),
  new ContextMenuCommandBuilder().setName('Describe').setType(3).toJSON(),
  new ContextMenuCommandBuilder().setName('Greet').setType(2).toJSON(),
];

/** Starts a bot with these commands; the test fails if an error or a violation occurs. */
export async function startBot(handle: (interaction: Interaction) => Promise<unknown>) {
  const { discord, clock } = await startFixture();
  const client = await startClient(discord);
  await client.application.commands.set(commands);
  const problems = handleInteractions(client, handle);
  onTestFinished(() => {
    expect(problems).toEqual([]);
    expect(discord.violations).toEqual([]);
  });
  return { discord, clock, client, member: discord.as('member') };
}
