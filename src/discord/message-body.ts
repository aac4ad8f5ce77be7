import type { RawFile } from '@discordjs/rest';
import {
  type APIActionRowComponent,
  type APIComponentInMessageActionRow,
  type APIMessageTopLevelComponent,
  ButtonStyle,
  ComponentType,
  MessageFlags,
  type RESTAPIAttachment,
} from 'discord-api-types/v10';
import { hasVisibleText } from '../lib/text.ts';
import { customIds } from './custom-ids.ts';
import { DiskFile } from './outbox/uploads.ts';
import type { ButtonPlan, Control, FilePlan, LinkPlan, MessagePlan, PagePlan, SelectPlan } from './plan.ts';
import { breakInvites, truncate, truncateMarkdown } from './truncate.ts';

// Discord's limits: https://discord.com/developers/docs/components/reference and /resources/message
const MAX_CONTENT_LENGTH = 2_000;
const MAX_PAGE_LENGTH = 4_000;
const MAX_LABEL_LENGTH = 80;
const MAX_OPTION_LENGTH = 100;
const MAX_PLACEHOLDER_LENGTH = 150;
const MAX_ALT_LENGTH = 1_024;
const MAX_FILES = 10;
const MAX_ROWS = 5;
const MAX_BUTTONS_PER_ROW = 5;
const MAX_OPTIONS = 25;

export interface MessageBody {
  body: {
    content?: string;
    flags?: number;
    components: APIMessageTopLevelComponent[];
    /** If undefined, an edit keeps the files of the message. */
    attachments?: Omit<RESTAPIAttachment, 'title'>[];
    allowed_mentions: { parse: []; users?: string[]; replied_user?: false };
    message_reference?: { message_id: string; fail_if_not_exists?: false };
  };
  files: RawFile[];
}

/** The only place that knows the shape of a Discord message, and its limits. */
export function bodyOf(plan: MessagePlan): MessageBody {
  if (plan.voice) return voiceBody(plan, plan.voice);
  const { content, overflowFiles } = contentOf(plan);
  const files = [...(plan.files ?? []), ...overflowFiles].slice(0, MAX_FILES);
  const rows = rowsOf(plan.controls ?? []);
  return {
    body: {
      ...(plan.page || content === undefined ? {} : { content }),
      ...(plan.page ? { flags: MessageFlags.IsComponentsV2 } : {}),
      components: plan.page ? [pageOf(plan.page), ...rows] : rows,
      attachments: files.map(({ name, alt, spoiler }, id) => ({
        id,
        filename: name,
        ...(spoiler && { is_spoiler: true }),
        ...(alt === undefined ? {} : { description: truncate(alt, MAX_ALT_LENGTH) }),
      })),
      ...mentionsIn(plan),
    },
    files: files.map(rawFileOf),
  };
}

/** In a voice message, Discord accepts nothing but the audio (https://discord.com/developers/docs/resources/message, "Voice Messages"). */
function voiceBody(plan: MessagePlan, { seconds, waveform }: NonNullable<MessagePlan['voice']>): MessageBody {
  const files = (plan.files ?? []).slice(0, 1);
  return {
    body: {
      flags: MessageFlags.IsVoiceMessage,
      components: [],
      attachments: files.map(({ name }, id) => ({ id, filename: name, duration_secs: seconds, waveform })),
      ...mentionsIn(plan),
    },
    files: files.map(rawFileOf),
  };
}

const rawFileOf = (file: FilePlan): RawFile =>
  file.bytes ? { name: file.name, data: file.bytes } : new DiskFile(file);

/** Only the listed users are notified; without `replied_user: false` a reply would notify the author of its message. */
function mentionsIn(plan: MessagePlan): Pick<MessageBody['body'], 'allowed_mentions' | 'message_reference'> {
  const { notifies, repliesTo } = plan;
  return {
    allowed_mentions: { parse: [], ...(notifies && { users: [...notifies], replied_user: false }) },
    ...(repliesTo !== undefined && { message_reference: { message_id: repliesTo } }),
  };
}

function contentOf({ content, overflow }: MessagePlan): { content?: string; overflowFiles: FilePlan[] } {
  if (content === undefined) return { overflowFiles: [] };
  const exceedsLimit = content.length > MAX_CONTENT_LENGTH && overflow === 'file';
  const overflowFiles = exceedsLimit ? [{ name: 'message.txt', bytes: Buffer.from(content) }] : [];
  return { content: truncateMarkdown(breakInvites(content), MAX_CONTENT_LENGTH), overflowFiles };
}

function sectionsOf({ title, blocks, footer }: PagePlan): string[] {
  return [`## ${title}`, ...blocks, ...(footer === undefined ? [] : [`-# ${footer}`])].map(breakInvites);
}

export function fitsPage(page: PagePlan): boolean {
  return sectionsOf(page).join('').length <= MAX_PAGE_LENGTH;
}

function pageOf(page: PagePlan): APIMessageTopLevelComponent {
  let remaining = MAX_PAGE_LENGTH;
  const parts = sectionsOf(page).map((text) => {
    const part = truncate(text, Math.max(1, remaining));
    remaining -= part.length;
    return part;
  });
  return {
    type: ComponentType.Container,
    components: parts
      .filter((content, index) => index === 0 || content.length > 1)
      .map((content) => ({ type: ComponentType.TextDisplay, content })),
  };
}

type Row = APIActionRowComponent<APIComponentInMessageActionRow>;

function rowsOf(controls: readonly Control[]): Row[] {
  const selects = controls.filter((control) => control.type === 'select');
  const buttons = controls.filter((control) => control.type !== 'select');
  const maxRows = MAX_ROWS - selects.length;
  const buttonsFit = buttons.length <= maxRows * MAX_BUTTONS_PER_ROW;
  const rows = buttonsFit ? splitIntoRows(buttons, maxRows) : [];
  const selectMenus = buttonsFit ? selects : [...toSelects(buttons), ...selects];
  return [...rows, ...selectMenus.map((list) => row([selectFrom(list)]))].slice(0, MAX_ROWS);
}

/** The buttons of each row, with the breaks that they request. */
function buttonRows(buttons: readonly (ButtonPlan | LinkPlan)[]): (ButtonPlan | LinkPlan)[][] {
  const rows: (ButtonPlan | LinkPlan)[][] = [];
  for (const button of buttons) {
    const last = rows.at(-1);
    const startsRow = button.type === 'button' && button.startsRow === true;
    if (!last || last.length >= MAX_BUTTONS_PER_ROW || startsRow) rows.push([button]);
    else last.push(button);
  }
  return rows;
}

export const fitInRows = (buttons: readonly ButtonPlan[]): boolean => buttonRows(buttons).length <= MAX_ROWS;

function splitIntoRows(buttons: readonly (ButtonPlan | LinkPlan)[], maxRows: number): Row[] {
  const rows = buttonRows(buttons);
  // Requested row breaks are dropped if the rows would not fit.
  return (rows.length <= maxRows ? rows : chunks(buttons, MAX_BUTTONS_PER_ROW)).map((chunk) =>
    row(chunk.map(buttonFrom)),
  );
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

/** Turns more buttons than a message can contain into menus; choosing an option counts as pressing its button. */
function toSelects(buttons: readonly (ButtonPlan | LinkPlan)[]): SelectPlan[] {
  const pressable = buttons.filter((button) => button.type === 'button');
  return chunks(pressable, MAX_OPTIONS).map((chunk, index) => ({
    type: 'select',
    id: customIds.list.id(index),
    placeholder: '…',
    options: chunk.map(({ id, label, emoji }) => ({ value: id, label: hasVisibleText(label) ? label : (emoji ?? '') })),
  }));
}

const row = (components: APIComponentInMessageActionRow[]): Row => ({ type: ComponentType.ActionRow, components });

const STYLES = {
  plain: ButtonStyle.Secondary,
  primary: ButtonStyle.Primary,
  good: ButtonStyle.Success,
  danger: ButtonStyle.Danger,
} as const;

function buttonFrom(button: ButtonPlan | LinkPlan): APIComponentInMessageActionRow {
  const label = labelOf(button.label, MAX_LABEL_LENGTH);
  if (button.type === 'link')
    return { type: ComponentType.Button, style: ButtonStyle.Link, url: button.address, label };
  const { id, emoji, style = 'plain', disabled = false } = button;
  return {
    type: ComponentType.Button,
    style: STYLES[style],
    custom_id: id,
    // A button with an emoji needs no label.
    ...((emoji === undefined || hasVisibleText(button.label)) && { label }),
    disabled,
    ...(emoji === undefined ? {} : { emoji: { name: emoji } }),
  };
}

/** Discord refuses the whole message if one label shows nothing. */
function labelOf(text: string, max: number): string {
  const label = truncate(text, max);
  return hasVisibleText(label) ? label : '…';
}

function selectFrom({ id, placeholder, options }: SelectPlan): APIComponentInMessageActionRow {
  return {
    type: ComponentType.StringSelect,
    custom_id: id,
    placeholder: truncate(placeholder, MAX_PLACEHOLDER_LENGTH),
    options: options.slice(0, MAX_OPTIONS).map(({ value, label, description }) => ({
      value,
      label: labelOf(label, MAX_OPTION_LENGTH),
      ...(description === undefined ? {} : { description: truncate(description, MAX_OPTION_LENGTH) }),
    })),
  };
}
