/** Agents are numbered in four parts, each 0 to 255 (interface, "Versioning"); 0.1.6.0 is the build before this program. */
export const agentVersion = '0.1.7.0';
