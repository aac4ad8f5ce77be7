import { personOf } from '../state/world.ts';

interface Face {
  readonly id: string;
  readonly name: string;
  readonly bot?: boolean;
  readonly size?: number;
}

/** Derived from the name, which stays the same between runs, unlike the id. */
const hueOf = (name: string) => [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 47);

export function Avatar({ id, name, bot = false, size = 40 }: Face) {
  const address = personOf(id)?.avatar;
  const style = { width: `${size}px`, height: `${size}px`, fontSize: `${Math.round(size * 0.42)}px` };
  if (bot) return <Mark size={size} round />;
  if (address !== undefined) return <img class="avatar" src={address} alt="" style={style} />;
  return (
    <span class="avatar" aria-hidden="true" style={{ ...style, '--hue': String(hueOf(name)) }}>
      {name.slice(0, 1).toUpperCase()}
    </span>
  );
}

/** Atelier's logo: an easel in the shape of an A. */
export function Mark({ size, round = false }: { size: number; round?: boolean }) {
  return (
    <svg class="mark" viewBox="0 0 40 40" width={size} height={size} aria-hidden="true">
      <defs>
        <linearGradient id="mark-colours" x1="0" y1="0" x2="1" y2="1">
          <stop offset="0" stop-color="#7c6cf6" />
          <stop offset=".55" stop-color="#c45cc9" />
          <stop offset="1" stop-color="#f08a5d" />
        </linearGradient>
      </defs>
      <rect width="40" height="40" rx={round ? 20 : 13} fill="url(#mark-colours)" />
      <path
        d="M12 28.4 19.2 12.1a.9.9 0 0 1 1.6 0L28 28.4M15.2 23h9.6"
        fill="none"
        stroke="#fff"
        stroke-width="3"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
