import { describe, expect, it } from 'vitest';
import { Closers } from '../../src/app/closers.ts';
import { createLog } from '../../src/log/log.ts';

function closers() {
  const logged: string[] = [];
  return {
    logged,
    closers: new Closers(createLog({ level: 'info', out: { write: (line) => logged.push(line) } })),
  };
}

describe('closers', () => {
  it('run one after the other, the last added first', async () => {
    const { closers: parts } = closers();
    const happened: string[] = [];
    for (const name of ['store', 'broker', 'http']) {
      parts.add(name, async () => {
        happened.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        happened.push(`${name} ends`);
      });
    }
    await parts.closeAll();
    expect(happened).toEqual([
      'http begins',
      'http ends',
      'broker begins',
      'broker ends',
      'store begins',
      'store ends',
    ]);
  });

  it('one that fails, by throwing or rejecting, is logged by name and keeps no other from closing', async () => {
    const { closers: parts, logged } = closers();
    const closed: string[] = [];
    parts.add('store', async () => closed.push('store'));
    parts.add('broker', () => Promise.reject(new Error('rejected')));
    parts.add('http', () => {
      throw new Error('threw');
    });
    await parts.closeAll();
    expect(closed).toEqual(['store']);
    expect(logged.map((line) => JSON.parse(line).part)).toEqual(['http', 'broker']);
  });

  it('run once: a second call waits for the first', async () => {
    const { closers: parts } = closers();
    let closed = 0;
    let release = (): void => undefined;
    parts.add('store', async () => {
      await new Promise<void>((resolve) => (release = resolve));
      closed++;
    });
    const calls = [parts.closeAll(), parts.closeAll()];
    let second = false;
    void calls[1]?.then(() => (second = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(second).toBe(false);
    release();
    await Promise.all(calls);
    expect(closed).toBe(1);
  });

  it('with nothing added are done at once', async () => {
    await expect(closers().closers.closeAll()).resolves.toBeUndefined();
  });
});
