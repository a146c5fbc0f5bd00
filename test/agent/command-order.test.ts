import { describe, expect, it } from 'vitest';
import { Bench, numbered, push, start, stop, uuid } from './runner-bench.ts';

describe('commands that a broker delivers in an order of its own', () => {
  it('older than one taken before change nothing, whatever order a broker delivers them in', async () => {
    const bench = new Bench();
    bench.runner.take(numbered(start(5), 5));
    await bench.rest();
    for (const late of [numbered(stop(4), 4), numbered(start(5), 5), numbered(stop(2), 2)])
      bench.runner.take(late);
    await bench.rest();
    expect(bench.reader.running).toBe('svc-default');
    expect(bench.acks.map(({ id }) => id)).not.toContain(uuid(4));
    bench.runner.take(numbered(stop(6), 6));
    await bench.rest();
    expect(bench.reader.running).toBeNull();
  });

  it('without a number: one in hand is done once more when another of its lane came behind it', async () => {
    const bench = new Bench();
    let release = (): void => {};
    bench.reader.pause = () => new Promise((resolve) => (release = resolve));
    bench.runner.take(start(1));
    bench.runner.take(stop(2));
    bench.runner.take(start(1));
    bench.reader.pause = async () => {};
    release();
    await bench.rest();
    expect(bench.reader.running).toBe('svc-default');
  });
});

describe('a reader that does not manage', () => {
  it('refuses settings after some tries, and its radio runs on', async () => {
    const bench = new Bench();
    bench.runner.take(start(1));
    await bench.rest();
    const failing = { kind: 'away', reason: 'it answers HTTP 500', failing: true } as const;
    bench.reader.fate = (call) =>
      call.startsWith('PUT') && bench.reader.running === null ? failing : undefined;
    bench.runner.take(push(2));
    await bench.rest();
    expect(bench.acks.at(-1)).toMatchObject({
      id: uuid(2),
      ok: false,
      error: expect.stringContaining('HTTP 500'),
    });
    expect(bench.reader.running).toBe('svc-default');
  });

  it('is put right when its radio is seen doing what it should not', async () => {
    const bench = new Bench();
    bench.runner.take(start(1));
    await bench.rest();
    bench.reader.reader.handle({ method: 'POST', path: '/api/v1/profiles/stop' });
    bench.runner.seen(false);
    await bench.rest();
    expect(bench.reader.running).toBe('svc-default');
    bench.runner.seen(true);
    expect(bench.runner.idle).toBe(true);
  });
});
