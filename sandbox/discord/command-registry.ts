import type { APIApplicationCommand } from 'discord-api-types/v10';
import type { Limits } from './limits.ts';
import { withoutRepeatedTexts } from './localized-command.ts';
import { tooManyCreates, unknownCommand } from './refusal.ts';
import type { MakeId } from './snowflake.ts';

export type Command = APIApplicationCommand;

export type CommandBody = Partial<Command> & { readonly name: string };

const GLOBAL = 'global';
const DAY_MS = 24 * 60 * 60 * 1_000;

/** The registered commands, global and per guild. */
export class CommandRegistry {
  readonly #applicationId: string;
  readonly #id: MakeId;
  readonly #now: () => number;
  readonly #limits: Limits;
  readonly #scopes = new Map<string, Command[]>();
  readonly #creates: { scope: string; at: number }[] = [];

  constructor(applicationId: string, id: MakeId, now: () => number, limits: Limits) {
    this.#applicationId = applicationId;
    this.#id = id;
    this.#now = now;
    this.#limits = limits;
  }

  list(guildId: string | undefined): readonly Command[] {
    return this.#scopes.get(guildId ?? GLOBAL) ?? [];
  }

  get(guildId: string | undefined, id: string): Command {
    const found = this.list(guildId).find((command) => command.id === id);
    if (!found) throw unknownCommand();
    return found;
  }

  /** Replaces the whole list; commands that keep their name keep their id and do not count as creates. */
  overwrite(guildId: string | undefined, bodies: readonly CommandBody[]): readonly Command[] {
    const commands = bodies.map((body) => this.#build(guildId, body));
    this.#scopes.set(guildId ?? GLOBAL, commands);
    return commands;
  }

  /** Overwrites a command with the same name and type. */
  put(guildId: string | undefined, body: CommandBody): { command: Command; isNew: boolean } {
    const existing = this.#findSameName(guildId, body);
    const command = this.#build(guildId, body);
    this.#replace(guildId, command);
    return { command, isNew: existing === undefined };
  }

  edit(guildId: string | undefined, id: string, body: Partial<Command>): Command {
    const existing = this.get(guildId, id);
    const command = this.#complete(guildId, { ...existing, ...body }, existing);
    this.#replace(guildId, command);
    return command;
  }

  remove(guildId: string | undefined, id: string): void {
    const { id: commandId } = this.get(guildId, id);
    this.#scopes.set(
      guildId ?? GLOBAL,
      this.list(guildId).filter((command) => command.id !== commandId),
    );
  }

  #replace(guildId: string | undefined, command: Command): void {
    const others = this.list(guildId).filter(({ id }) => id !== command.id);
    this.#scopes.set(guildId ?? GLOBAL, [...others, command]);
  }

  #findSameName(guildId: string | undefined, { name, type = 1 }: CommandBody): Command | undefined {
    return this.list(guildId).find((command) => command.name === name && command.type === type);
  }

  #build(guildId: string | undefined, body: CommandBody): Command {
    const existing = this.#findSameName(guildId, body);
    if (!existing) this.#countCreate(guildId ?? GLOBAL);
    return this.#complete(guildId, body, existing);
  }

  #complete(guildId: string | undefined, body: CommandBody, existing: Command | undefined): Command {
    const completed = withoutRepeatedTexts({
      id: existing?.id ?? this.#id(),
      application_id: this.#applicationId,
      version: '',
      type: body.type ?? 1,
      name: body.name,
      name_localizations: body.name_localizations ?? null,
      description: body.description ?? '',
      description_localizations: body.description_localizations ?? null,
      default_member_permissions: permissionsText(body.default_member_permissions),
      dm_permission: guildId === undefined,
      nsfw: body.nsfw ?? false,
      integration_types: body.integration_types ?? [0],
      contexts: guildId === undefined ? (body.contexts ?? null) : null,
      ...(body.options?.length && { options: body.options }),
      ...(guildId !== undefined && { guild_id: guildId }),
    }) as Command;
    const isSame = existing && JSON.stringify({ ...existing, version: '' }) === JSON.stringify(completed);
    return isSame ? existing : { ...completed, version: this.#id() };
  }

  #countCreate(scope: string): void {
    const since = this.#now() - DAY_MS;
    if (
      this.#creates.filter((one) => one.scope === scope && one.at > since).length >= this.#limits.commandCreatesPerDay
    )
      throw tooManyCreates();
    this.#creates.push({ scope, at: this.#now() });
  }
}

const permissionsText = (value: unknown): string | null =>
  value === null || value === undefined ? null : BigInt(value as string | number).toString();
