/** A configuration that cannot be used. The message is one line: the key or variable, what is wrong, what is allowed. */
export class ConfigError extends Error {
  constructor(message: string) {
    // File names and values come from outside: no line break of theirs may split the line.
    super(message.replace(/[\p{Cc}\u2028\u2029]+/gu, ' '));
    this.name = 'ConfigError';
  }
}
