import { acceptOf, ComponentKind, type SelectOption } from '../discord-api.ts';
import { bytesText } from '../markdown/time.ts';
import { Select } from '../messages/select.tsx';
import { Icon } from '../shell/icons.tsx';
import type { Field, Value } from './field.ts';

interface Props {
  readonly field: Field;
  readonly value: Value;
  readonly error: string | undefined;
  readonly onValue: (value: Value) => void;
}

const PARAGRAPH = 2;

/** A field with its label, hint and error. */
export function FieldInput(props: Props) {
  const { field, error } = props;
  const id = `field-${field.name}`;
  return (
    <div class={error === undefined ? 'field' : 'field faulty'}>
      {field.component.type !== ComponentKind.checkbox && (
        <label for={id}>
          {field.label}
          {field.isRequired && (
            <span class="required" aria-hidden="true">
              *
            </span>
          )}
        </label>
      )}
      {field.hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {field.hint}
        </p>
      )}
      <Input {...props} />
      {error !== undefined && (
        <p class="objection" id={`${id}-fault`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

function Input({ field, value, error, onValue }: Props) {
  const { component, name, label, isRequired } = field;
  const id = `field-${name}`;
  const described = [
    ...(field.hint === undefined ? [] : [`${id}-hint`]),
    ...(error === undefined ? [] : [`${id}-fault`]),
  ].join(' ');
  const shared = {
    id,
    'aria-required': isRequired,
    'aria-invalid': error !== undefined,
    'aria-describedby': described || undefined,
  };
  const options = (component.options ?? []) as readonly SelectOption[];
  switch (component.type) {
    case ComponentKind.textInput: {
      const text = typeof value === 'string' ? value : '';
      const { placeholder = '', max_length: max } = component as unknown as {
        placeholder?: string;
        max_length?: number;
      };
      const onInput = ({ currentTarget }: { currentTarget: { value: string } }) => onValue(currentTarget.value);
      return (
        <>
          {component.style === PARAGRAPH ? (
            <textarea {...shared} rows={4} value={text} placeholder={placeholder} onInput={onInput} />
          ) : (
            <input {...shared} type="text" value={text} placeholder={placeholder} onInput={onInput} />
          )}
          {max !== undefined && text.length > max * 0.8 && (
            <small class="count">
              {text.length} / {max}
            </small>
          )}
        </>
      );
    }
    case ComponentKind.fileUpload:
      return <FileInput field={field} value={value} error={error} onValue={onValue} />;
    case ComponentKind.checkbox:
      return (
        <label class="tick">
          <input
            type="checkbox"
            id={id}
            checked={value === true}
            onChange={({ currentTarget }) => onValue(currentTarget.checked)}
          />
          {label}
        </label>
      );
    case ComponentKind.radioGroup:
      return (
        <div role="radiogroup" aria-label={label} id={id} tabIndex={-1}>
          {options.map((option) => (
            <label key={option.value} class="tick">
              <input type="radio" name={name} checked={value === option.value} onChange={() => onValue(option.value)} />
              {option.label}
            </label>
          ))}
        </div>
      );
    case ComponentKind.checkboxGroup: {
      const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
      return (
        <div role="group" aria-label={label} id={id} tabIndex={-1}>
          {options.map((option) => (
            <label key={option.value} class="tick">
              <input
                type="checkbox"
                checked={chosen.includes(option.value)}
                onChange={({ currentTarget }) =>
                  onValue(
                    currentTarget.checked ? [...chosen, option.value] : chosen.filter((one) => one !== option.value),
                  )
                }
              />
              {option.label}
            </label>
          ))}
        </div>
      );
    }
    default:
      return (
        <Select
          select={component}
          id={id}
          label={label}
          values={Array.isArray(value) ? (value as readonly string[]) : []}
          onChosen={onValue}
        />
      );
  }
}

function FileInput({ field, value, onValue, error }: Props) {
  const files = Array.isArray(value) ? value.filter((one) => one instanceof File) : [];
  const max = Number(field.component.max_values ?? 1);
  const addFiles = (fileList: FileList | null | undefined) => {
    if (fileList && fileList.length > 0) onValue([...fileList].slice(0, max));
  };
  return (
    <div
      class="file-drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation();
        addFiles(event.dataTransfer?.files);
      }}
    >
      <label>
        <Icon name="plus" size={18} />
        {files.length > 0 ? 'Choose another file' : 'Choose or drop a file'}
        <input
          id={`field-${field.name}`}
          type="file"
          class="unseen"
          multiple={max > 1}
          accept={acceptOf(field.component.file_types as readonly string[] | undefined)}
          aria-label={field.label}
          aria-invalid={error !== undefined}
          onChange={({ currentTarget }) => addFiles(currentTarget.files)}
        />
      </label>
      {files.map((file) => (
        <p key={file.name} class="file-given">
          <Icon name="file" size={18} /> <span class="cut">{file.name}</span> <small>{bytesText(file.size)}</small>
        </p>
      ))}
    </div>
  );
}
