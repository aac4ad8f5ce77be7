import { decodeUrlPart } from '../../../lib/text.ts';
import type { CommonRequest, TaskKind, TaskRequests } from '../../tasks/kind-spec.ts';
import type { MemberFile } from '../../tasks/materials.ts';

type RequestField = { [K in TaskKind]: keyof TaskRequests[K] }[TaskKind];

/** The only fields of requests that are not judged as text, each with its reason. Files are judged by their names and hosts. */
export const FIELDS_WITHOUT_TEXT: Readonly<Partial<Record<RequestField, string>>> = {
  model: 'The access rules cover models.',
  of: 'The gateway’s id of a job.',
  customId: 'The gateway’s id of an action.',
  label: 'The gateway’s name of an action.',
  action: 'One of our own words.',
  motion: 'One of our own words.',
  shape: 'One of our own words.',
  format: 'One of our own words.',
  who: 'One of our own words.',
  sources: 'Names of our own options, and where their values come from.',
  length: 'One of our own words.',
  tone: 'One of our own words.',
  notSent: 'Names of our own options.',
  talk: 'The id of a task.',
  after: 'The id of a task.',
  about: 'The id of a message.',
  extend: 'The id of a task, and a position.',
  parts: 'The ids of tasks that are only followed.',
};

/** Keys of `metadata` that options set. All others are text of the member, as are their values. */
const OPTION_KEYS: ReadonlySet<string> = new Set(['negative_prompt', 'seed', 'camera_control']);

/** Everything in a request that a member has written. */
export function textsOf(request: CommonRequest): string[] {
  const { pictures: images = [], documents = [], references = [], sound, region, ...fields } = request;
  const drawn = region && 'drawn' in region ? region.drawn : undefined;
  const files = [...images, ...documents, ...references, sound, drawn].filter((file) => file !== undefined);
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    Object.hasOwn(FIELDS_WITHOUT_TEXT, name) ? [] : stringsIn(value),
  );
  return [...new Set([...texts, ...files.flatMap(textsOfFile)])];
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => [...(OPTION_KEYS.has(key) ? [] : [key]), ...stringsIn(one)]);
}

/** The rest of a URL is its signature. */
function textsOfFile({ address, name }: MemberFile): string[] {
  const url = URL.parse(address);
  const path = url ? [`${url.protocol}//${url.hostname}`, decodeUrlPart(url.pathname.split('/').at(-1) ?? '')] : [];
  return [name, ...path];
}

/** The most text of an order, with its documents, that is judged. An order with more is refused where text is judged at all. */
export const MAX_JUDGED_LENGTH = 200_000;
const MAX_PIECE_LENGTH = 10_000;
/** So that nothing hides at the end of a piece. */
const OVERLAP = 500;

/** Long texts are judged in pieces: services limit their requests, and the event loop must not be blocked for long. */
export function judgedPieces(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start === 0 || start + OVERLAP < text.length; start += MAX_PIECE_LENGTH - OVERLAP)
    pieces.push(text.slice(start, start + MAX_PIECE_LENGTH));
  return pieces.filter((piece) => piece.trim() !== '');
}
