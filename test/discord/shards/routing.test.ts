import { type APIInteraction, ComponentType, InteractionType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { customId, customIds } from '../../../src/discord/custom-ids.ts';
import { homeOf } from '../../../src/discord/shards/routing.ts';
import { bucketOf } from '../../../src/services/tasks/homes.ts';
import { taskId } from '../../../src/services/tasks/task-id.ts';

const SERVER = '1275225538480439328';
const MEMBER = '1275225538480439999';
const id = taskId(Date.UTC(2026, 0, 1), 777);

const inServer = { guild_id: SERVER, member: { user: { id: MEMBER } } };
const interaction = (fields: object): APIInteraction => fields as APIInteraction;
const press = (customIdOfButton: string, values?: string[]): APIInteraction =>
  interaction({
    ...inServer,
    type: InteractionType.MessageComponent,
    data: { custom_id: customIdOfButton, component_type: ComponentType.Button, ...(values && { values }) },
  });

describe('The home of an interaction', () => {
  it('A command belongs to its server, and in direct messages to its member', () => {
    const command = { type: InteractionType.ApplicationCommand, data: { name: 'imagine' } };
    expect(homeOf(interaction({ ...command, ...inServer }))).toBe(bucketOf(SERVER));
    expect(homeOf(interaction({ ...command, user: { id: MEMBER } }))).toBe(bucketOf(MEMBER));
  });

  it('A button, a form and a chosen button belong to the task that they name, wherever they are used', () => {
    const button = customIds.retry.id(id);
    expect(homeOf(press(button))).toBe(777);
    expect(homeOf(press(customIds.list.id(0), [button]))).toBe(777);
    const form = { ...inServer, type: InteractionType.ModalSubmit, data: { custom_id: button, components: [] } };
    expect(homeOf(interaction(form))).toBe(777);
  });

  it('A button that names no task belongs to its server, also one with an old id of Discord', () => {
    expect(homeOf(press('rubbish'))).toBe(bucketOf(SERVER));
    expect(homeOf(press(customId('about', 1, '80351110224678912')))).toBe(bucketOf(SERVER));
  });
});
