import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/lib/log.ts';
import { runForInteraction, runForTask, runWithoutSubject, setSubjectTask } from '../../src/lib/log-subject.ts';

function openTestLog() {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    level: 'debug',
    secrets: [],
    isPretty: false,
    write: (line) => lines.push(JSON.parse(line)),
  });
  /** The subjects of all lines so far. */
  const subjects = () =>
    lines.map(({ task, reference }) => ({ ...(task ? { task } : {}), ...(reference ? { reference } : {}) }));
  return { log, subjects };
}

describe('The subject of a log line', () => {
  it('Each log line of two simultaneous tasks has the id of its own task, even after an await', async () => {
    const { log, subjects } = openTestLog();
    const work = async (): Promise<void> => {
      log.info('before');
      await setImmediate();
      log.info('after');
    };
    await Promise.all([runForTask('one', work), runForTask('two', work)]);
    log.info('outside');
    expect(subjects()).toEqual([{ task: 'one' }, { task: 'two' }, { task: 'one' }, { task: 'two' }, {}]);
  });

  it('A task id given with a line takes precedence over the id from the context', () => {
    const { log, subjects } = openTestLog();
    runForTask('one', () => log.info({ task: 'two' }, 'a line'));
    expect(subjects()).toEqual([{ task: 'two' }]);
  });

  it('The log lines of an interaction have its reference from the start, and its task id once that is known', () => {
    const { log, subjects } = openTestLog();
    runForInteraction('ref', () => {
      log.info('early');
      setSubjectTask('one');
      log.info('late');
      runForTask('two', () => {
        // This code runs for a different task, so the call has no effect.
        setSubjectTask('three');
        log.info('within');
      });
      log.info('last');
    });
    const fullSubject = { reference: 'ref', task: 'one' };
    expect(subjects()).toEqual([{ reference: 'ref' }, fullSubject, { reference: 'ref', task: 'two' }, fullSubject]);
  });

  it('Code that serves many tasks logs no subject', () => {
    const { log, subjects } = openTestLog();
    runForTask('one', () => runWithoutSubject(() => log.info('a line')));
    setSubjectTask('one');
    log.info('outside');
    expect(subjects()).toEqual([{}, {}]);
  });
});
