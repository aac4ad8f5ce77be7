import { type APIInteraction, ApplicationIntegrationType, ComponentType, InteractionType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { customId, customIds } from '../../../src/discord/custom-ids.ts';
import { routingBucketOf } from '../../../src/discord/shards/routing.ts';
import { PAUSE_PARTITION } from '../../../src/services/money/whole-bot.ts';
import { bucketOf } from '../../../src/services/tasks/homes.ts';
import { createTaskId } from '../../../src/services/tasks/task-id.ts';

const SERVER = '1275225538480439328';
const OTHER_SERVER = '1275225538480430001';
const MEMBER = '1275225538480439999';
const id = createTaskId(Date.UTC(2026, 0, 1), 777);

const serverContext = {
  guild_id: SERVER,
  member: { user: { id: MEMBER } },
  authorizing_integration_owners: { [ApplicationIntegrationType.GuildInstall]: SERVER },
};
const interaction = (fields: object): APIInteraction => fields as APIInteraction;
const press = (customIdOfButton: string, values?: string[]): APIInteraction =>
  interaction({
    ...serverContext,
    type: InteractionType.MessageComponent,
    data: { custom_id: customIdOfButton, component_type: ComponentType.Button, ...(values && { values }) },
  });

describe('The bucket of an interaction', () => {
  it('A command belongs to its server, and in direct messages to its member', () => {
    const command = { type: InteractionType.ApplicationCommand, data: { name: 'imagine' } };
    expect(routingBucketOf(interaction({ ...command, ...serverContext }))).toBe(bucketOf(SERVER));
    expect(routingBucketOf(interaction({ ...command, user: { id: MEMBER } }))).toBe(bucketOf(MEMBER));
  });

  it('A command of a bot that only the member has installed belongs to the member, in any server', () => {
    const byMember = { [ApplicationIntegrationType.UserInstall]: MEMBER };
    const command = { type: InteractionType.ApplicationCommand, data: { name: 'imagine' } };
    const commandInServer = interaction({ ...command, ...serverContext, authorizing_integration_owners: byMember });
    expect(routingBucketOf(commandInServer)).toBe(bucketOf(MEMBER));
  });

  it('A command or button that names another server belongs to that server, and one that pauses all servers belongs to the partition of the pause', () => {
    const options = [{ name: 'pause', type: 1, options: [{ name: 'server', type: 3, value: OTHER_SERVER }] }];
    const command = { type: InteractionType.ApplicationCommand, data: { name: 'budget', options } };
    expect(routingBucketOf(interaction({ ...command, ...serverContext }))).toBe(bucketOf(OTHER_SERVER));
    const optionsForAll = structuredClone(options);
    Object.assign(optionsForAll[0]?.options[0] ?? {}, { value: 'all' });
    const pauseEverywhere = { ...command, data: { name: 'budget', options: optionsForAll } };
    expect(routingBucketOf(interaction({ ...pauseEverywhere, ...serverContext }))).toBe(PAUSE_PARTITION);
    expect(routingBucketOf(press(customIds.resume.id(OTHER_SERVER)))).toBe(bucketOf(OTHER_SERVER));
    expect(routingBucketOf(press(customIds.resume.id('all')))).toBe(PAUSE_PARTITION);
  });

  it('A member’s own settings belong to the member, and those of a channel or a server to the server', () => {
    const command = { type: InteractionType.ApplicationCommand, data: { name: 'settings' } };
    expect(routingBucketOf(interaction({ ...command, ...serverContext }))).toBe(bucketOf(MEMBER));
    expect(routingBucketOf(press(customIds.preferences.id({ of: 'member', section: 'images' })))).toBe(
      bucketOf(MEMBER),
    );
    expect(routingBucketOf(press(customIds.preferencesReset.id('member')))).toBe(bucketOf(MEMBER));
    const answer = customIds.preferencesResetAnswer.id({ of: 'member', answer: 'reset' });
    expect(routingBucketOf(press(answer))).toBe(bucketOf(MEMBER));
    expect(routingBucketOf(press(customIds.preferences.id({ of: 'channel', section: 'images' })))).toBe(
      bucketOf(SERVER),
    );
    const formId = customIds.preferencesFilled.id({ of: 'member', section: 'images' });
    for (const custom_id of [formId, customIds.corrected.id({ isPrivate: true, formId })]) {
      const data = { custom_id, components: [] };
      const submission = { ...serverContext, type: InteractionType.ModalSubmit, data };
      expect(routingBucketOf(interaction(submission))).toBe(bucketOf(MEMBER));
    }
  });

  it('A preset that a command changes is named by its id, else it is the member’s; a copy belongs to the member, and use and sharing to the server', () => {
    const bucketFor = (name: string, preset?: string) => {
      const inner = preset === undefined ? [] : [{ name: 'preset', type: 3, value: preset }];
      const data = { name: 'preset', options: [{ name, type: 1, options: inner }] };
      return routingBucketOf(interaction({ ...serverContext, type: InteractionType.ApplicationCommand, data }));
    };
    for (const name of ['edit', 'delete']) {
      expect(bucketFor(name, id)).toBe(777);
      expect(bucketFor(name, 'Poster')).toBe(bucketOf(MEMBER));
    }
    expect(bucketFor('save')).toBe(bucketOf(MEMBER));
    for (const name of ['use', 'share', 'list']) expect(bucketFor(name, id)).toBe(bucketOf(SERVER));
    expect(routingBucketOf(press(customIds.presetCopy.id(id)))).toBe(bucketOf(MEMBER));
    for (const verb of [customIds.presetRemove, customIds.presetReport])
      expect(routingBucketOf(press(verb.id(id)))).toBe(777);
    expect(routingBucketOf(press(customIds.preset.id(), [id]))).toBe(bucketOf(SERVER));
  });

  it('A button that orders something new belongs to the server where it is pressed, even from a menu of buttons', () => {
    const button = customIds.retry.id(id);
    expect(routingBucketOf(press(button))).toBe(bucketOf(SERVER));
    expect(routingBucketOf(press(customIds.list.id(0), [button]))).toBe(bucketOf(SERVER));
    const form = { ...serverContext, type: InteractionType.ModalSubmit };
    const submission = { ...form, data: { custom_id: customIds.editFilled.id(id), components: [] } };
    expect(routingBucketOf(interaction(submission))).toBe(bucketOf(SERVER));
  });

  it('A corrected form belongs where the form that was refused belongs', () => {
    const form = { ...serverContext, type: InteractionType.ModalSubmit };
    const bucketOfCorrected = (formId: string) => {
      const corrected = customIds.corrected.id({ formId, isPrivate: true });
      return routingBucketOf(interaction({ ...form, data: { custom_id: corrected, components: [] } }));
    };
    expect(bucketOfCorrected(customIds.editFilled.id(id))).toBe(bucketOf(SERVER));
    expect(bucketOfCorrected(customIds.continueFilled.id(id))).toBe(777);
  });

  it('A button or form that changes a task belongs to the bucket of that task, on every server', () => {
    const button = customIds.tryAgain.id(id);
    expect(routingBucketOf(press(button))).toBe(777);
    expect(routingBucketOf(press(customIds.list.id(0), [button]))).toBe(777);
    const form = { ...serverContext, type: InteractionType.ModalSubmit, data: { custom_id: button, components: [] } };
    expect(routingBucketOf(interaction(form))).toBe(777);
  });

  it('A button that names no task belongs to its server, even if it contains an old Discord id', () => {
    expect(routingBucketOf(press('rubbish'))).toBe(bucketOf(SERVER));
    expect(routingBucketOf(press(customId('about', 1, '80351110224678912')))).toBe(bucketOf(SERVER));
  });
});
