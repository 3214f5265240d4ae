/** What can go wrong with files, by the names and texts of the C library. */

const TEXTS = {
  ENOENT: 'No such file or directory',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  EROFS: 'Read-only file system',
  EISDIR: 'Is a directory',
  ENOTDIR: 'Not a directory',
  EEXIST: 'File exists',
  ENOTEMPTY: 'Directory not empty',
  ENOSPC: 'No space left on device',
  ELOOP: 'Too many levels of symbolic links',
  EBUSY: 'Resource busy',
  EINVAL: 'Invalid argument',
  EBADF: 'Bad file descriptor',
} as const;

/** One of them. */
export type FileErrorCode = keyof typeof TEXTS;

/** A request to the files of a container that cannot be met. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode) {
    super(TEXTS[code]);
    this.code = code;
  }
}
