// Package rowcache knows where package frames keeps tables that it has read before, and removes them.
package rowcache
