export function Fact({ name, value, bad = false }: { name: string; value: string; bad?: boolean }) {
  return (
    <div class={bad ? 'bad' : ''}>
      <dt>{name}</dt>
      <dd class="cut" title={value}>
        {value}
      </dd>
    </div>
  );
}
