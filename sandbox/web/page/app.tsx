import { Form } from './forms/modal.tsx';
import { ChannelView } from './messages/channel.tsx';
import { Lightbox } from './messages/lightbox.tsx';
import { Mark } from './shell/avatar.tsx';
import { Channels } from './shell/channels.tsx';
import { Header } from './shell/header.tsx';
import { announcement } from './state/announce.ts';
import { isDrawerOpen, isNarrow, isWide, isWorkbenchOpen } from './state/appearance.ts';
import { loadError, world } from './state/world.ts';
import { Workbench } from './workbench/workbench.tsx';

export function App() {
  if (!world.value) return <Waiting />;
  const isCovered = !isWide.value && isWorkbenchOpen.value;
  const isDrawerShown = isNarrow.value && isDrawerOpen.value;
  return (
    <div class={isWorkbenchOpen.value ? 'house with-bench' : 'house'}>
      <button type="button" class="skip" onClick={() => document.getElementById('composer')?.focus()}>
        Skip to the message box
      </button>
      <Channels />
      <div class="middle">
        <Header />
        <ChannelView />
      </div>
      <Workbench />
      {(isDrawerShown || isCovered) && (
        <button
          type="button"
          class="veil"
          aria-label="Back to the messages"
          onClick={() => {
            isDrawerOpen.value = false;
            if (isCovered) isWorkbenchOpen.value = false;
          }}
        />
      )}
      <Form />
      <Lightbox />
      <p class="unseen" role="log" aria-live="polite">
        {announcement.value}
      </p>
    </div>
  );
}

function Waiting() {
  return (
    <main class="waiting">
      <Mark size={72} />
      <h1>Atelier</h1>
      <p role="status">{loadError.value ?? 'Starting the sandbox…'}</p>
    </main>
  );
}
