import { css } from './colour.ts';
import { linear, n, radial, rectangle } from './drawing.ts';
import type { Reference } from './reference.ts';
import type { Layer, Tools } from './tools.ts';

const WHITE = { l: 1, a: 0, b: 0 };

/** Weaves reference pictures into a scene: as its backdrop, and once more as a veil over everything. */
export function woven(tools: Tools, layers: readonly Layer[], references: readonly Reference[]): Layer[] {
  const [backdrop, ...rest] = layers;
  if (references.length === 0 || !backdrop) return [...layers];
  return [
    backdrop,
    { svg: `<g opacity=".82">${strips(tools, references, 'behind')}</g>`, depth: 0.05 },
    ...rest,
    { svg: veil(tools, references), depth: 0.3 },
  ];
}

/** Several references stand side by side, each melting into the next. */
function strips({ frame }: Tools, references: readonly Reference[], name: string): string {
  const wide = frame.width / references.length;
  return references
    .map(({ uri }, index) => {
      const id = `${name}${index}`;
      const from = index === 0 ? -frame.width : index * wide - wide * 0.35;
      const to = (index + 1) * wide + wide * 0.35;
      const melt = linear(`${id}fade`, { x: from, y: 0 }, { x: index * wide + wide * 0.35, y: 0 }, [
        { at: 0, colour: WHITE, opacity: index === 0 ? 1 : 0 },
        { at: 1, colour: WHITE },
      ]);
      const [x, width] =
        index === 0 ? [-frame.width * 0.1, to + frame.width * 0.1] : [from, to - from + frame.width * 0.1];
      const y = -frame.height * 0.1;
      const height = frame.height * 1.2;
      return `<defs>${melt}<mask id="${id}" maskUnits="userSpaceOnUse" x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"><rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" fill="url(#${id}fade)"/></mask></defs><g mask="url(#${id})"><image href="${uri}" x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" preserveAspectRatio="xMidYMid slice"/></g>`;
    })
    .join('');
}

/** Strong in the middle and gone at the edges, with a tint of the scene's own light. */
function veil(tools: Tools, references: readonly Reference[]): string {
  const { frame, window, palette } = tools;
  const centre = { x: frame.width / 2, y: frame.height * 0.48 };
  const fade = radial('veilfade', centre, Math.hypot(frame.width, frame.height) * 0.55, [
    { at: 0, colour: WHITE, opacity: 0.72 },
    { at: 0.55, colour: WHITE, opacity: 0.5 },
    { at: 1, colour: WHITE, opacity: 0 },
  ]);
  const tint = `<g opacity=".14">${rectangle(window, css(palette.light))}</g>`;
  return `<defs>${fade}<mask id="veil" maskUnits="userSpaceOnUse" x="${n(window.left)}" y="${n(window.top)}" width="${n(window.right - window.left)}" height="${n(window.bottom - window.top)}">${rectangle(window, 'url(#veilfade)')}</mask></defs><g mask="url(#veil)">${strips(tools, references, 'before')}${tint}</g>`;
}
