import {
  ActionRowBuilder,
  ButtonBuilder,
  type ButtonInteraction,
  ButtonStyle,
  type ChatInputCommandInteraction,
  Client,
  Events,
  type Interaction,
  SlashCommandBuilder,
} from 'discord.js';

const rollCommand = new SlashCommandBuilder()
  .setName('roll')
  .setDescription('Roll a die')
  .addIntegerOption((option) =>
    option.setName('sides').setDescription('Sides of the die').setMinValue(2).setMaxValue(100).setRequired(true),
  );

/** A bot in plain discord.js. `api` is the only setting that differs between Discord and the embedded one. */
export async function startBot(token: string, api?: string): Promise<Client<true>> {
  const client = new Client({ intents: [], ...(api !== undefined && { rest: { api } }) });
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  client.on(Events.InteractionCreate, (interaction) => {
    respond(interaction).catch((error: Error) => client.emit(Events.Error, error));
  });
  await client.login(token);
  const readyClient = await ready;
  await readyClient.application.commands.set([rollCommand]);
  return readyClient;
}

async function respond(interaction: Interaction): Promise<void> {
  if (interaction.isChatInputCommand()) await roll(interaction);
  if (interaction.isButton()) await rollAgain(interaction);
}

async function roll(interaction: ChatInputCommandInteraction): Promise<void> {
  await interaction.deferReply();
  await interaction.editReply(result(interaction.options.getInteger('sides', true)));
}

async function rollAgain(interaction: ButtonInteraction): Promise<void> {
  await interaction.update(result(Number(interaction.customId.split(':')[1])));
}

function result(sides: number) {
  // The number is part of the id, so that the button still works after a restart of the bot.
  const again = new ButtonBuilder().setCustomId(`again:${sides}`).setLabel('Roll again').setStyle(ButtonStyle.Primary);
  const rolled = 1 + Math.floor(Math.random() * sides);
  return {
    content: `You rolled ${rolled} of ${sides}.`,
    components: [new ActionRowBuilder<ButtonBuilder>().addComponents(again)],
  };
}
