const KEYCAP = /^([0-9#*])\ufe0f?\u20e3$/;

/** An emoji as text in the emoji font. Keycaps are drawn, because few fonts combine them. */
export function Emoji({ name }: { name: string }) {
  const [, key] = KEYCAP.exec(name) ?? [];
  if (key === undefined) return <span class="emoji">{name}</span>;
  return (
    <span class="keycap" role="img" aria-label={`keycap ${key}`}>
      {key}
    </span>
  );
}
