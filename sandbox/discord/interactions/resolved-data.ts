import type { Parts } from '../parts.ts';
import type { Post } from '../post.ts';
import type { FileInput } from '../uploads.ts';
import { partialChannelPayload } from '../wire/channel.ts';
import { rolePayload } from '../wire/guild.ts';
import { messagePayload } from '../wire/message.ts';
import { memberPayload, userPayload } from '../wire/user.ts';
import type { Channel, Guild } from '../world.ts';
import { permissionsOf } from './context.ts';
import { ImpossibleActionError } from './impossible-action.ts';

type ObjectsById = Record<string, unknown>;

/** Discord's own client refuses files that are too large before uploading them. */
export function checkUploadSizes(files: readonly FileInput[], { limits }: Parts): void {
  for (const { name, bytes } of files)
    if (bytes.length > limits.uploadBytes)
      throw new ImpossibleActionError(`${name} is larger than the upload limit of ${limits.uploadBytes} bytes.`);
}

/** The full objects for the ids in options, targets and forms (documentation, "Resolved Data Structure"). */
export class ResolvedData {
  readonly #tables: Record<string, ObjectsById> = {};
  readonly #parts: Parts;
  readonly #guild: Guild | undefined;

  constructor(parts: Parts, guild: Guild | undefined) {
    this.#parts = parts;
    this.#guild = guild;
  }

  user(nameOrId: string): string {
    const user = this.#parts.world.user(nameOrId);
    this.#put('users', user.id, userPayload(user));
    const member = this.#guild?.members.get(user.id);
    if (member && this.#guild) {
      const channel = this.#guild.channels[0];
      const permissions = channel ? permissionsOf(user, channel, this.#guild) : 0n;
      const { deaf: _, mute: __, ...rest } = memberPayload(member);
      this.#put('members', user.id, { ...rest, permissions: String(permissions) });
    }
    return user.id;
  }

  role(nameOrId: string): string {
    const roles = this.#guild?.roles ?? [];
    const index = roles.findIndex(({ id, name }) => id === nameOrId || name === nameOrId);
    const role = roles[index];
    if (!role) throw new ImpossibleActionError(`There is no role ${nameOrId} here.`);
    this.#put('roles', role.id, rolePayload(role, index));
    return role.id;
  }

  channel(nameOrId: string): string {
    const { world } = this.#parts;
    const channel: Channel = world.channel(nameOrId, this.#guild);
    const permissions = String(permissionsOf(world.bot, channel, this.#guild));
    this.#put('channels', channel.id, {
      ...partialChannelPayload(channel, world),
      permissions,
      app_permissions: permissions,
    });
    return channel.id;
  }

  mentionable(nameOrId: string): string {
    const isRole = this.#guild?.roles.some(({ id, name }) => id === nameOrId || name === nameOrId);
    return isRole ? this.role(nameOrId) : this.user(nameOrId);
  }

  attachment(file: FileInput): string {
    const { uploads, world } = this.#parts;
    checkUploadSizes([file], this.#parts);
    const upload = uploads.store(file, { folder: world.applicationId, ephemeral: true });
    this.#put('attachments', upload.id, uploads.payloadOf(upload));
    return upload.id;
  }

  /** Adds a message with its full content, even without the message content intent, because the user chose the message. */
  message(post: Post): string {
    const { world, uploads, messages } = this.#parts;
    this.#put('messages', post.id, messagePayload(post, { world, uploads, find: (id) => messages.get(id) }));
    return post.id;
  }

  get payload(): { resolved?: Record<string, ObjectsById> } {
    return Object.keys(this.#tables).length > 0 ? { resolved: this.#tables } : {};
  }

  #put(table: string, id: string, value: unknown): void {
    this.#tables[table] = { ...this.#tables[table], [id]: value };
  }
}
