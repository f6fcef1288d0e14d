const NAMED_FILES = 5
const NAMED_FOLDERS = 3

/** Names a few files, or for many the folders with most of them: `12 files, most in src/capture (9), test (2)`. */
export function summarizeFiles(paths: readonly string[]): string {
  const files = [...new Set(paths.map((path) => path.trim().replace(/\s+/g, ' ')).filter((path) => path !== ''))]
  if (files.length === 0) return ''
  if (files.length <= NAMED_FILES)
    return `${files.length === 1 ? '1 file' : `${files.length} files`}: ${files.join(', ')}`
  const counts = new Map<string, number>()
  for (const file of files) counts.set(folderOf(file), (counts.get(folderOf(file)) ?? 0) + 1)
  const most = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, NAMED_FOLDERS)
  return `${files.length} files, most in ${most.map(([folder, count]) => `${folder} (${count})`).join(', ')}`
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash <= 0 ? '.' : path.slice(0, slash)
}
