import { Mark } from '../shell/avatar.tsx';
import { useScrollToSelected } from '../shell/scroll-to-selected.ts';
import { world } from '../state/world.ts';
import type { Leaf } from './commands.ts';

interface Props {
  readonly leaves: readonly Leaf[];
  readonly active: number;
  readonly onPick: (leaf: Leaf) => void;
  readonly onPoint: (at: number) => void;
}

/** The registered commands, filtered by the typed text. */
export function Palette({ leaves, active, onPick, onPoint }: Props) {
  const list = useScrollToSelected<HTMLDivElement>(active);
  return (
    <div class="panel">
      <p class="panel-title">
        <Mark size={18} round /> {world.value?.application.name}
      </p>
      <div id="palette" ref={list} class="panel-list" role="listbox" aria-label="Commands">
        {leaves.map((leaf, index) => (
          <div
            key={leaf.path}
            id={`palette-${index}`}
            class="panel-entry"
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onMouseDown={(event) => event.preventDefault()}
            onMouseMove={() => index !== active && onPoint(index)}
            onClick={() => onPick(leaf)}
          >
            <span class="entry-name">
              /{leaf.path}
              <span class="entry-options">
                {leaf.options
                  .filter(({ required }) => required)
                  .map(({ name }) => (
                    <span key={name} class="entry-option">
                      {name}
                    </span>
                  ))}
              </span>
            </span>
            <span class="entry-words">{leaf.description}</span>
          </div>
        ))}
        {leaves.length === 0 && <p class="panel-empty">No commands match your search.</p>}
      </div>
    </div>
  );
}
