/** Asks again and again until the answer is there; fails with the last error, or what it was waiting for. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  timeoutMs = 15_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let failure: unknown = null;
  while (Date.now() < deadline) {
    try {
      const answer = await ask();
      if (answer !== null && answer !== undefined && answer !== false) return answer;
      failure = null;
    } catch (error) {
      failure = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`waited in vain for ${what}`, failure ? { cause: failure } : undefined);
}
