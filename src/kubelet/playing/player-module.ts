/** What is loaded once a container is played: the shell with its programs, and what gives them files and a network. */
export { newFile } from '../../shell/files/file-node.js';
export { ContainerNetwork } from './container-network.js';
export { ContainerPlayer } from './container-player.js';
export { VolumeDirectories } from './volume-directories.js';
