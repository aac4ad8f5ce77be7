import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  readonly class: string;
  readonly label: string;
  /** A selector for the initial focus; the first focusable element by default. */
  readonly first?: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/** A native dialog, which traps the focus; the focus is restored on close. */
export function Dialog({ class: name, label, first, children, onClose, onKeyDown }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  // A layout effect, because the focus must be restored before the dialog is removed.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = box.current;
    dialog?.showModal();
    if (first !== undefined) dialog?.querySelector<HTMLElement>(first)?.focus();
    return () => {
      dialog?.close();
      // The button may have been replaced by a new one; then the composer gets the focus.
      const back = before?.isConnected ? before : document.getElementById('composer');
      if (back instanceof HTMLElement) back.focus();
    };
  }, []);
  return (
    <dialog
      ref={box}
      class={`dialog ${name}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // Browsers can close a dialog without a cancel event.
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
      onKeyDown={onKeyDown}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      {children}
    </dialog>
  );
}
