import { signal } from '@preact/signals';
import { Icon } from '../shell/icons.tsx';
import { isWorkbenchOpen } from '../state/appearance.ts';
import { bot, runningJobs, violationCount } from '../state/workbench.ts';
import { BotPanel } from './bot.tsx';
import { JobsPanel } from './jobs.tsx';
import { LedgerPanel } from './ledger.tsx';
import { Traffic } from './traffic.tsx';
import { TroublePanel } from './trouble.tsx';

const tabs = [
  { id: 'jobs', title: 'Jobs', View: JobsPanel },
  { id: 'traffic', title: 'Traffic', View: Traffic },
  { id: 'ledger', title: 'Ledger', View: LedgerPanel },
  { id: 'trouble', title: 'Faults', View: TroublePanel },
  { id: 'bot', title: 'Bot', View: BotPanel },
] as const;

type Tab = (typeof tabs)[number]['id'];
const activeTab = signal<Tab>('jobs');

/** The gateway's jobs, the bot's traffic and its ledger, fault buttons and the bot's process. */
export function Workbench() {
  if (!isWorkbenchOpen.value) return null;
  const { View } = tabs.find(({ id }) => id === activeTab.value) ?? tabs[0];
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const at = tabs.findIndex(({ id }) => id === activeTab.value);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    activeTab.value = next.id;
    document.getElementById(`tab-${next.id}`)?.focus();
    event.preventDefault();
  };
  return (
    <aside
      id="workbench"
      class="workbench"
      aria-label="Workbench"
      onKeyDown={({ key }) => {
        if (key === 'Escape' && matchMedia('(max-width: 1179px)').matches) isWorkbenchOpen.value = false;
      }}
    >
      <header>
        <div class="tabs" role="tablist" aria-label="Workbench" onKeyDown={onKeyDown}>
          {tabs.map(({ id, title }) => (
            <button
              key={id}
              id={`tab-${id}`}
              type="button"
              role="tab"
              aria-selected={id === activeTab.value}
              aria-controls="bench-panel"
              tabIndex={id === activeTab.value ? 0 : -1}
              onClick={() => (activeTab.value = id)}
            >
              {title}
              <TabBadge tab={id} />
            </button>
          ))}
        </div>
        <button
          type="button"
          class="icon-button"
          aria-label="Close the workbench"
          title="Close"
          onClick={() => (isWorkbenchOpen.value = false)}
        >
          <Icon name="close" />
        </button>
      </header>
      <div id="bench-panel" class="bench-panel" role="tabpanel" aria-labelledby={`tab-${activeTab.value}`} tabIndex={0}>
        <View />
      </div>
    </aside>
  );
}

function TabBadge({ tab }: { tab: Tab }) {
  if (tab === 'jobs' && runningJobs.value.length > 0) return <span class="tab-count">{runningJobs.value.length}</span>;
  if (tab === 'traffic' && violationCount.value > 0) return <span class="tab-count bad">{violationCount.value}</span>;
  if (tab === 'bot') return <span class={`lamp ${bot.value?.state ?? 'starting'}`} aria-hidden="true" />;
  return null;
}
