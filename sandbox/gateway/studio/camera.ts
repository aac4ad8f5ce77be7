import type { Dice } from './random.ts';
import type { Size } from './size.ts';
import type { Layer, Window } from './tools.ts';

/** Where the pixels of a frame lie on a plane: `x' = a·x + b·y + tx`, `y' = -b·x + a·y + ty`, bent by a sway along the rows. */
export interface Placement {
  readonly a: number;
  readonly b: number;
  readonly tx: number;
  readonly ty: number;
  readonly sway: number;
  readonly phase: number;
  readonly wave: number;
  /** 0 to 256. */
  readonly opacity: number;
}

export interface Shot {
  readonly frame: Size;
  readonly plane: Size;
  readonly window: Window;
  readonly seconds: number;
}

/** The part of the frame that a layer may move before the edge of its plane shows. */
export const CAMERA_MARGIN = 0.08;

/** A slow move that starts and ends softly; near layers go further than far ones, which the eye reads as space. */
export function placementOf(layer: Layer, index: number, time: number, shot: Shot, dice: Dice): Placement {
  const { frame, plane, window, seconds } = shot;
  const progress = time / Math.max(seconds, 0.001);
  const eased = progress * progress * (3 - 2 * progress) * 0.7 + progress * 0.3;
  const way = dice(0) < 0.5 ? -1 : 1;
  const near = 0.12 + 0.88 * layer.depth;
  const reach = CAMERA_MARGIN * 0.8;
  const pan = way * frame.width * reach * near * (eased * 2 - 1);
  const rise = (dice(1) - 0.5) * frame.height * reach * near * (eased * 2 - 1);
  const zoom = 1 + 0.09 * near * (dice(2) < 0.7 ? eased : 1 - eased);
  const angle = layer.spin ? layer.spin.angle * (progress - 0.5) : 0;
  const [a, b] = [Math.cos(angle) / zoom, Math.sin(angle) / zoom];
  const scale = plane.width / (window.right - window.left);
  const turn = layer.spin
    ? { x: (layer.spin.x - window.left) * scale, y: (layer.spin.y - window.top) * scale }
    : { x: plane.width / 2, y: plane.height / 2 };
  const [edgeX, edgeY] = [(plane.width - frame.width) / 2, (plane.height - frame.height) / 2];
  const [fromX, fromY] = [edgeX - turn.x, edgeY - turn.y];
  const beat = 2 * Math.PI * time;
  const pulse = layer.pulse ?? 0;
  return {
    a,
    b,
    tx: turn.x + a * fromX + b * fromY + pan,
    ty: turn.y - b * fromX + a * fromY + rise,
    sway: (layer.sway ?? 0) * scale,
    phase: beat * 0.16 + index * 1.7,
    wave: (2 * Math.PI) / (frame.height * (0.45 + 0.25 * dice(3))),
    opacity: Math.round(256 * (1 - pulse * (0.5 + 0.5 * Math.sin(beat * 0.3 + index * 2.1)))),
  };
}
