import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  readonly class: string;
  readonly label: string;
  /** Where the focus begins; the first thing that can have it, unless told. */
  readonly first?: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/** The browser's own dialog: it keeps the focus within and gives it back at the end. */
export function Dialog({ class: name, label, first, children, onClose, onKeyDown }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  // Not an effect that may come later: the focus is given back before the dialog is gone.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = box.current;
    dialog?.showModal();
    if (first !== undefined) dialog?.querySelector<HTMLElement>(first)?.focus();
    return () => {
      dialog?.close();
      // The button may have been drawn anew meanwhile; then the composer is where people go on.
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
      // A browser may close it by itself, without asking.
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
      onKeyDown={onKeyDown}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      {children}
    </dialog>
  );
}
