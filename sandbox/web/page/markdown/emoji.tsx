const KEYCAP = /^([0-9#*])\ufe0f?\u20e3$/;

/** An emoji as a letter of its font; keycaps are drawn, for few fonts put them together. */
export function Emoji({ name }: { name: string }) {
  const [, key] = KEYCAP.exec(name) ?? [];
  if (key === undefined) return <span class="emoji">{name}</span>;
  return (
    <span class="keycap" role="img" aria-label={`keycap ${key}`}>
      {key}
    </span>
  );
}
