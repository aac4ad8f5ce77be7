import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Modal } from '../../protocol.ts';
import { encodeFile } from '../composer/encode-file.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { Mark } from '../shell/avatar.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Dots } from '../shell/dots.tsx';
import { Icon } from '../shell/icons.tsx';
import { form, submitForm } from '../state/actions.ts';
import { errorMessage } from '../state/api.ts';
import { world } from '../state/world.ts';
import { type Field, initialValue, partsOf, type Value, validateField } from './field.ts';
import { FieldInput } from './field-input.tsx';

/** The form that the bot has opened, if any. */
export function Form() {
  const modal = form.value;
  return modal ? <FormDialog key={modal.interactionId} modal={modal} /> : null;
}

function FormDialog({ modal }: { modal: Modal }) {
  const parts = useMemo(() => partsOf(modal), [modal]);
  const fields = parts.filter((part): part is Field => typeof part !== 'string');
  const values = useSignal<ReadonlyMap<string, Value>>(
    new Map(fields.map((field) => [field.name, initialValue(field)])),
  );
  const errors = useSignal<ReadonlyMap<string, string>>(new Map());
  const failure = useSignal<string | undefined>(undefined);
  const isSending = useSignal(false);
  const close = () => {
    form.value = undefined;
  };
  const submit = async () => {
    const { uploadBytes = 0 } = world.value ?? {};
    const invalidFields = fields.flatMap((field): [string, string][] => {
      const fault = validateField(field, values.value.get(field.name) ?? '', uploadBytes);
      return fault === undefined ? [] : [[field.name, fault]];
    });
    errors.value = new Map(invalidFields);
    const [first] = invalidFields;
    if (first) return document.getElementById(`field-${first[0]}`)?.focus();
    isSending.value = true;
    failure.value = undefined;
    try {
      const entries = await Promise.all(
        [...values.value].map(async ([name, value]) => [name, await valueToSend(value)] as const),
      );
      await submitForm(modal.interactionId, Object.fromEntries(entries));
      close();
    } catch (error) {
      failure.value = errorMessage(error);
      isSending.value = false;
    }
  };
  return (
    <Dialog class="form" label={modal.title} first=".fields :is(textarea, input, button)" onClose={close}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <header>
          <Mark size={28} round />
          <h2>{modal.title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        <div class="fields">
          {parts.map((part) =>
            typeof part === 'string' ? (
              <Markdown key={part} text={part} />
            ) : (
              <FieldInput
                key={part.name}
                field={part}
                value={values.value.get(part.name) ?? ''}
                error={errors.value.get(part.name)}
                onValue={(value) => {
                  values.value = new Map([...values.value, [part.name, value]]);
                  errors.value = new Map([...errors.value].filter(([name]) => name !== part.name));
                }}
              />
            ),
          )}
          {failure.value !== undefined && (
            <p class="objection" role="alert">
              Something went wrong. {failure.value}
            </p>
          )}
        </div>
        <footer>
          <button type="button" class="button plain" onClick={close}>
            Cancel
          </button>
          <button type="submit" class={`button primary${isSending.value ? ' waiting' : ''}`} disabled={isSending.value}>
            <span class="button-words">Submit</span>
            {isSending.value && <Dots />}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

async function valueToSend(value: Value) {
  if (!Array.isArray(value)) return value as string | boolean;
  const list = value as readonly (string | File)[];
  const files = list.filter((one) => one instanceof File);
  return files.length > 0 ? await Promise.all(files.map(encodeFile)) : (list as readonly string[]);
}
