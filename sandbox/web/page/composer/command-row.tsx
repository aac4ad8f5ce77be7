import { Icon } from '../shell/icons.tsx';
import type { Leaf } from './commands.ts';
import { discardCommand, optionNamed, remainingOptions, shownOptions, validationErrors } from './draft.ts';
import { OptionPanel } from './option-panel.tsx';
import { OptionPill } from './option-pill.tsx';
import { sendCommand } from './send.ts';

/** A command with its options, one pill for each. */
export function CommandRow({ leaf }: { leaf: Leaf }) {
  const options = shownOptions.value.flatMap((name) => optionNamed(name) ?? []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') discardCommand();
    else if (event.key === 'Enter' && options.length === 0 && event.target === event.currentTarget) void sendCommand();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <OptionPanel leaf={leaf} />
      <div class="composer filling" role="group" aria-label={`Command /${leaf.path}`} onKeyDown={onKeyDown}>
        <div class="composer-line">
          <button
            type="button"
            class="icon-button"
            aria-label="Cancel this command"
            title="Cancel (Escape)"
            onClick={discardCommand}
          >
            <Icon name="close" />
          </button>
          <div class="pills">
            <span class="command-name">/{leaf.path}</span>
            {options.map((option) => (
              <OptionPill key={option.name} option={option} />
            ))}
            {remainingOptions.value.length > 0 && (
              <span class="more-options" aria-hidden="true">
                +{remainingOptions.value.length} optional
              </span>
            )}
          </div>
          <button
            type="button"
            class="icon-button send"
            aria-label="Send the command"
            title="Send (Enter)"
            ref={(element) => {
              if (options.length === 0 && document.activeElement === document.body) element?.focus();
            }}
            onClick={() => void sendCommand()}
          >
            <Icon name="send" />
          </button>
        </div>
      </div>
      <p class="unseen" role="alert">
        {[...validationErrors.value].map(([name, fault]) => `${name}: ${fault}`).join(' ')}
      </p>
    </>
  );
}
