import { useScrollToSelected } from '../shell/scroll-to-selected.ts';
import type { Choice, Leaf, Option } from './commands.ts';
import {
  currentOption,
  focusedOption,
  focusTarget,
  neighbourOf,
  remainingOptions,
  setOptionValue,
  showOption,
  validationErrors,
} from './draft.ts';
import { activeIndex, suggestions } from './suggestions.ts';

/** Above the row: the focused option's description and choices, and the remaining options. */
export function OptionPanel({ leaf }: { leaf: Leaf }) {
  const option = currentOption.value;
  const fault = option && validationErrors.value.get(option.name);
  return (
    <div class="panel">
      <p class="panel-title">
        {option ? (
          <>
            <b>{option.name}</b>
            <span id="option-words">{option.description}</span>
          </>
        ) : (
          <>
            <b>/{leaf.path}</b>
            <span>{leaf.description}</span>
          </>
        )}
      </p>
      {fault !== undefined && (
        <p class="objection" id="option-fault">
          {fault}
        </p>
      )}
      {option && suggestions.value && <Suggestions option={option} />}
      {remainingOptions.value.length > 0 && (
        <div class="chips" role="group" aria-label="Other options">
          {remainingOptions.value.map(({ name, description }) => (
            <button
              key={name}
              type="button"
              class="chip"
              title={description}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => showOption(name)}
            >
              {name}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Selects a choice and focuses the next option. */
export function pickChoice(option: Option, choice: Choice): void {
  setOptionValue(option.name, { kind: 'choice', choice });
  focusTarget.value = neighbourOf(option.name, 1) ?? option.name;
}

function Suggestions({ option }: { option: Option }) {
  const { state = 'ready', choices = [] } = suggestions.value ?? {};
  const list = useScrollToSelected<HTMLDivElement>(activeIndex.value);
  return (
    <div
      id="suggestions"
      ref={list}
      class="panel-list"
      role="listbox"
      aria-label={`Choices for ${option.name}`}
      aria-busy={state === 'loading'}
    >
      {choices.map((choice, index) => (
        <div
          key={`${choice.value}`}
          id={`suggestion-${index}`}
          class="panel-entry"
          role="option"
          tabIndex={-1}
          aria-selected={index === activeIndex.value}
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => (activeIndex.value = index)}
          onClick={() => pickChoice(option, choice)}
        >
          <span class="entry-name">{choice.name}</span>
        </div>
      ))}
      <p class={state === 'failed' ? 'panel-empty objection' : 'panel-empty'} role="status">
        {sentence(state, choices.length)}
      </p>
    </div>
  );
}

function sentence(state: 'loading' | 'failed' | 'ready', count: number): string {
  if (state === 'failed') return 'Loading options failed';
  if (count > 0) return '';
  return state === 'loading' ? 'Loading options…' : 'No options match your search.';
}

export const isCurrent = (option: Option): boolean => focusedOption.value === option.name;
