import { type APIAllowedMentions, type APIMessageTopLevelComponent, ComponentType } from 'discord-api-types/v10';
import type { UploadedFile } from './body.ts';
import type { MessageBody, Post } from './post.ts';
import type { Upload, Uploads } from './uploads.ts';
import { isVoice } from './validation/voice.ts';

interface UploadLocation {
  readonly folder: string;
  readonly ephemeral: boolean;
}

/** The files of a message after it was sent or edited: the kept files, then the new ones. */
export function updatedUploads(
  previous: readonly Upload[],
  body: MessageBody,
  files: readonly UploadedFile[],
  uploads: Uploads,
  location: UploadLocation,
): Upload[] {
  const { attachments } = body;
  const metadataOf = (id: string) => attachments?.find((attachment) => String(attachment.id) === id);
  // An absent list keeps all files; a list keeps those it names (documentation, resources/message, "Edit Message").
  const keptUploads = previous
    .filter(({ id }) => attachments === undefined || metadataOf(id))
    .map((upload) => {
      // Of a file that stays, only these can be edited.
      const { description = upload.description, is_spoiler: isSpoiler = upload.isSpoiler } =
        metadataOf(upload.id) ?? {};
      return { ...upload, description: description ?? undefined, isSpoiler: isSpoiler ?? undefined };
    });
  const newUploads = files.map((file) => {
    const metadata = metadataOf(file.id);
    const renamedFile = metadata?.filename ? { ...file, name: metadata.filename } : file;
    const { description, title, is_spoiler: isSpoiler, duration_secs: seconds, waveform } = metadata ?? {};
    const voice = isVoice(body.flags) && seconds && waveform ? { seconds, waveform } : undefined;
    return uploads.store(renamedFile, { ...location, description, title, isSpoiler: isSpoiler ?? undefined, voice });
  });
  return [...keptUploads, ...newUploads];
}

/** The defaults that Discord adds to components in its responses. */
const COMPONENT_DEFAULTS: Readonly<Record<number, object>> = {
  [ComponentType.StringSelect]: { min_values: 1, max_values: 1 },
  [ComponentType.UserSelect]: { min_values: 1, max_values: 1 },
  [ComponentType.RoleSelect]: { min_values: 1, max_values: 1 },
  [ComponentType.MentionableSelect]: { min_values: 1, max_values: 1 },
  [ComponentType.ChannelSelect]: { min_values: 1, max_values: 1 },
  [ComponentType.Thumbnail]: { spoiler: false },
  [ComponentType.File]: { spoiler: false },
  [ComponentType.Separator]: { divider: true, spacing: 1 },
  [ComponentType.Container]: { accent_color: null, spoiler: false },
};

/** Copies components as Discord stores them: with defaults, and with an id for each one that has none. */
export function storedComponents(components: readonly APIMessageTopLevelComponent[]): APIMessageTopLevelComponent[] {
  const copy = structuredClone(components) as APIMessageTopLevelComponent[];
  const usedIds = new Set<number>();
  eachComponent(copy, (component) => {
    Object.assign(component, { ...COMPONENT_DEFAULTS[component.type], ...component });
    if (typeof component.id === 'number' && component.id > 0) usedIds.add(component.id);
  });
  let nextId = 1;
  eachComponent(copy, (component) => {
    if (typeof component.id === 'number' && component.id > 0) return;
    while (usedIds.has(nextId)) nextId += 1;
    usedIds.add(nextId);
    component.id = nextId;
  });
  return copy;
}

export type AnyComponent = Record<string, unknown> & { type: number };

/** Visits components recursively; children are in `components`, `component` and `accessory`. */
export function eachComponent(roots: readonly unknown[], visit: (component: AnyComponent) => void): void {
  for (const root of roots) {
    if (typeof root !== 'object' || root === null) continue;
    const component = root as AnyComponent;
    visit(component);
    const { components, component: innerComponent, accessory } = component;
    eachComponent([...(Array.isArray(components) ? components : []), innerComponent, accessory], visit);
  }
}

/** The mentions that notify (documentation, resources/message, "Allowed Mentions Object"). */
export function mentionsIn(content: string, allowed: APIAllowedMentions | null | undefined) {
  const mentionedIds = [...new Set([...content.matchAll(/<@!?(\d{17,20})>/g)].map(([, id = '']) => id))];
  const hasEveryoneMention = /@(?:everyone|here)/.test(content);
  if (!allowed) return { mentions: mentionedIds, mentionsEveryone: hasEveryoneMention };
  const parse: readonly string[] = allowed.parse ?? [];
  return {
    mentions: parse.includes('users') ? mentionedIds : mentionedIds.filter((id) => allowed.users?.includes(id)),
    mentionsEveryone: hasEveryoneMention && parse.includes('everyone'),
  };
}

export const previousState = (post: Post) => ({
  flags: post.flags,
  attachmentNames: post.uploads.map(({ name }) => name),
});
