import { asText, inCode } from '../../discord/markdown.ts';
import type { Say } from '../../locales/index.ts';
import type { KindView, Seen } from '../../messages/kind-view.ts';
import { againButtons } from '../../messages/task-buttons.ts';
import type { VideoRequest, videoSpecs } from './request.ts';

const LONGEST_MODEL = 200;
const LONGEST_FACT = 60;

/** Films of the three video endpoints. */
export const videoView: KindView<keyof typeof videoSpecs> = {
  facts({ model = '', request }, say) {
    const { size = request.aspectRatio ?? request.resolution, duration, mode, notSent } = request;
    const shown = (value: string | number = '', most = LONGEST_FACT): string => asText(String(value), most);
    const [sized, seconds, moded] = [shown(size), shown(duration), shown(mode)];
    const facts = [
      ...(model === '' ? [] : [say('task.facts.model', { model: shown(model, LONGEST_MODEL) })]),
      ...(sized === '' ? [] : [say('film.facts.size', { size: sized })]),
      ...(seconds === '' ? [] : [say('film.facts.seconds', { seconds })]),
      ...(moded === '' ? [] : [say('film.facts.mode', { mode: moded })]),
    ];
    const options = (notSent ?? []).map((option) => inCode(option)).join(', ');
    return [
      ...(facts.length === 0 ? [] : [`-# ${facts.join(' · ')}`]),
      ...(options === '' ? [] : [`-# ${say('film.facts.notSent', { options })}`]),
    ];
  },

  notes({ kind, request }, seen, say) {
    const wishes = wishesOf(request);
    const all = seen.flatMap((film) => unmetNotes(unmetIn(wishes, film), film, kind === 'image-to-video', say));
    // Several films of one order were asked for alike: what holds for them is said once.
    return [...new Set(all)];
  },

  more: ({ id }, _offering, say) => againButtons(id, say, { startsRow: true }),
};

/** What was asked of a film, and where in the request it stood. */
export type Wish = Place & (WishedSize | { parameter: 'duration'; seconds: number });

interface Place {
  /** As it was sent. */
  asked: string | number;
  at: 'top' | 'metadata';
}

type WishedSize =
  | { parameter: 'size'; width: number; height: number }
  | { parameter: 'aspect_ratio'; aspect: number }
  | { parameter: 'resolution'; lines: number };

/** Of each parameter the one that counts: what stands at the top level, else what stands in the metadata. */
export function wishesOf({ metadata = {}, extra = {}, ...request }: VideoRequest): Wish[] {
  const top = {
    size: request.size,
    aspect_ratio: request.aspectRatio,
    resolution: request.resolution,
    duration: request.duration ?? extra.seconds,
  };
  return PARAMETERS.flatMap((parameter): Wish[] => {
    const at = isSaid(top[parameter]) ? 'top' : 'metadata';
    const asked = at === 'top' ? top[parameter] : metadata[parameter];
    const wish = isSaid(asked) ? parsed(parameter, String(asked)) : undefined;
    return isSaid(asked) && wish ? [{ ...wish, asked, at }] : [];
  });
}

const PARAMETERS = ['size', 'aspect_ratio', 'resolution', 'duration'] as const;

const isSaid = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

const FORMS = {
  size: /^(\d+)x(\d+)$/i,
  aspect_ratio: /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/,
  resolution: /^(\d+)p$/i,
  duration: /^(\d+(?:\.\d+)?)$/,
} as const;

/** What is asked in another form is the model's own, and nobody here knows what it means. */
function parsed(parameter: (typeof PARAMETERS)[number], text: string) {
  const [one = 0, two = 0] = (FORMS[parameter].exec(text) ?? []).slice(1).map(Number);
  if (one <= 0) return undefined;
  switch (parameter) {
    case 'size':
      return two > 0 ? { parameter, width: one, height: two } : undefined;
    case 'aspect_ratio':
      return two > 0 ? { parameter, aspect: one / two } : undefined;
    case 'resolution':
      return { parameter, lines: one };
    case 'duration':
      return { parameter, seconds: one };
  }
}

/** Encoders like sides that are multiples of sixteen, and films a frame more or less. */
const PIXELS = 16;
const ASPECT = 0.05;
const SECONDS = 0.5;
const SHARE = 0.1;

/** The wishes that had no effect, as far as the film tells. */
export function unmetIn(wishes: readonly Wish[], { width, height, seconds }: Seen): Wish[] {
  return wishes.filter((wish) => {
    if (wish.parameter === 'duration') {
      return seconds !== undefined && Math.abs(seconds - wish.seconds) > Math.max(SECONDS, wish.seconds * SHARE);
    }
    if (!width || !height) return false;
    switch (wish.parameter) {
      case 'size':
        return Math.abs(width - wish.width) > PIXELS || Math.abs(height - wish.height) > PIXELS;
      case 'aspect_ratio':
        return Math.abs(width / height / wish.aspect - 1) > ASPECT;
      case 'resolution':
        return Math.abs(Math.min(width, height) - wish.lines) > PIXELS;
    }
    return false;
  });
}

const LONGEST_ASKED = 40;

/** The option by which each parameter is asked for. */
const OPTIONS = { size: 'size', aspect_ratio: 'size', resolution: 'size', duration: 'duration' } as const;

/** Which parameter had no effect, and where else it may belong (specification, part 7). */
export function unmetNotes(unmet: readonly Wish[], seen: Seen, isVendor: boolean, say: Say): string[] {
  return unmet.map((wish) => {
    const { parameter, asked, at } = wish;
    const isDuration = parameter === 'duration';
    const actual = isDuration ? String(Math.round((seen.seconds ?? 0) * 10) / 10) : `${seen.width}x${seen.height}`;
    const facts = { actual, asked: asText(String(asked), LONGEST_ASKED), parameter: inCode(parameter) };
    const what = isDuration ? say('film.unmet.duration', facts) : say('film.unmet.size', facts);
    return `-# ${what} ${advice()}`;

    function advice(): string {
      if (isVendor) return say('film.unmet.elsewhere');
      if (at === 'metadata') return say('film.unmet.atTop', { option: OPTIONS[parameter] });
      const extra = inCode(JSON.stringify({ [parameter]: asked }));
      return parameter === 'size'
        ? say('film.unmet.inMetadataOrOther', { extra })
        : say('film.unmet.inMetadata', { extra });
    }
  });
}
