// Part of every binary: files that must lie on a disk (native addons, pages) are taken out of the program at first use.
const { createHash, randomBytes } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const { join, basename } = require('node:path');
const sea = require('node:sea');

const places = new Map();
const loaded = new Map();

/** The file of that name on disk, as it is in the binary to the last byte. Throws with one line when no folder takes it. */
function placeOf(name) {
  const known = places.get(name);
  if (known) return known;
  const [place] = candidates(name);
  places.set(name, place);
  return place;
}

/** The native addon of that name. A folder on a file system that runs nothing is passed over. */
function loadNative(name) {
  if (loaded.has(name)) return loaded.get(name);
  const refused = [];
  for (const place of candidates(name, refused)) {
    const addon = { exports: {} };
    try {
      process.dlopen(addon, place);
    } catch (error) {
      refused.push(`${place}: ${error.message}`);
      continue;
    }
    loaded.set(name, addon.exports);
    return addon.exports;
  }
  throw unusable(name, refused);
}

function* candidates(name, refused = []) {
  const bytes = Buffer.from(sea.getRawAsset(name));
  const file = `${createHash('sha256').update(bytes).digest('hex')}-${basename(name)}`;
  let any = false;
  for (const folder of folders()) {
    try {
      const place = extract(folder, file, bytes);
      any = true;
      yield place;
    } catch (error) {
      refused.push(`${folder}: ${error.message}`);
    }
  }
  if (!any) throw unusable(name, refused);
}

function unusable(name, refused) {
  const why = refused.join('; ').replace(/\s+/g, ' ');
  return new Error(
    `${name} can't be put where it can be loaded from; set XDG_CACHE_HOME to such a folder (${why})`,
  );
}

/** Where extracted files may go, best first: the service manager's cache folder, the user's, a private temporary one. */
function folders() {
  const { CACHE_DIRECTORY, XDG_CACHE_HOME, HOME } = process.env;
  const found = [];
  if (CACHE_DIRECTORY) found.push(join(CACHE_DIRECTORY.split(':')[0], 'native'));
  if (XDG_CACHE_HOME) found.push(join(XDG_CACHE_HOME, 'tagkeep', 'native'));
  if (HOME) found.push(join(HOME, '.cache', 'tagkeep', 'native'));
  found.push(join(os.tmpdir(), `tagkeep-${process.getuid()}`));
  return found;
}

function extract(folder, file, bytes) {
  const place = join(folder, file);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  requireOwn(folder);
  // The name is not proof: a power cut may have left less.
  if (!isSame(place, bytes)) write(place, bytes);
  return place;
}

function requireOwn(folder) {
  const { uid, mode } = fs.lstatSync(folder);
  if (uid !== process.getuid()) throw new Error('belongs to another user');
  if (mode & 0o022) throw new Error('others may write there');
}

function isSame(place, bytes) {
  try {
    return fs.readFileSync(place).equals(bytes);
  } catch {
    return false;
  }
}

function write(place, bytes) {
  const temporary = `${place}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    fs.writeFileSync(temporary, bytes, { mode: 0o500, flag: 'wx' });
    fs.renameSync(temporary, place);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

module.exports = { placeOf, loadNative };
