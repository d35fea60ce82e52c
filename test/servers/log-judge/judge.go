// Judges a published log with golang.org/x/mod alone, which knows nothing of Noonmark:
//
//	judge -key NAME+ID+DATA -origin ORIGIN [-remembered FILE]... DIRECTORY|URL
//
// It checks every tile and every entry, proves drawn entries, and proves that each two of the checkpoints (the remembered
// ones and the published one) are consistent. It ends with 0, or with 1 and the fault.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const (
	height = 8
	width  = 1 << height
)

type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func main() {
	var keys, remembered list
	flag.Var(&keys, "key", "a verifier key; one of several is enough")
	flag.Var(&remembered, "remembered", "a file with an earlier checkpoint")
	origin := flag.String("origin", "", "the first line of every checkpoint")
	draws := flag.Int("draws", 100, "entries whose inclusion is proved")
	flag.Parse()
	base := strings.TrimSuffix(flag.Arg(0), "/")

	var verifiers []note.Verifier
	for _, key := range keys {
		verifier, err := note.NewVerifier(key)
		must(err, "key")
		verifiers = append(verifiers, verifier)
	}
	open := func(text []byte, name string) tlog.Tree {
		opened, err := note.Open(text, note.VerifierList(verifiers...))
		must(err, name)
		return parse(opened.Text, *origin, name)
	}

	text, err := read(base, "checkpoint")
	must(err, "checkpoint")
	tree := open(text, "checkpoint")
	files := &files{base: base, kept: map[tlog.Tile][]byte{}}
	hashes := everyEntry(base, tree)
	tiles := everyTile(tree.N, files, hashes)
	drawn := drawnProofs(tree, *draws, hashes, files)
	trees := []tlog.Tree{tree}
	for _, file := range remembered {
		text, err := os.ReadFile(file)
		must(err, file)
		trees = append(trees, open(text, file))
	}
	pairs := everyPair(trees, files)
	fmt.Printf("%s %d %s: %d tiles, %d entries, %d proofs, %d pairs\n", *origin, tree.N, tree.Hash, tiles, tree.N, drawn, pairs)
}

// parse takes the three lines. x/mod's own ParseTree demands another first line.
func parse(text, origin, name string) tlog.Tree {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[3] != "" || lines[0] != origin {
		fail("%s: not three lines for %s: %q", name, origin, text)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		fail("%s: the size is %q", name, lines[1])
	}
	hash, err := tlog.ParseHash(lines[2])
	must(err, name)
	return tlog.Tree{N: size, Hash: hash}
}

// files reads tiles by C2SP's paths: without the height, and entries instead of data.
type files struct {
	base string
	kept map[tlog.Tile][]byte
}

func (f *files) Height() int                     { return height }
func (f *files) SaveTiles([]tlog.Tile, [][]byte) {}

func (f *files) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range tiles {
		if f.kept[tile] == nil {
			bytes, err := read(f.base, tilePath(tile))
			if err != nil {
				return nil, err
			}
			f.kept[tile] = bytes
		}
		data = append(data, f.kept[tile])
	}
	return data, nil
}

func tilePath(tile tlog.Tile) string {
	path := strings.TrimPrefix(tile.Path(), fmt.Sprintf("tile/%d/", height))
	return "tile/" + strings.Replace(path, "data/", "entries/", 1)
}

// storage has the hashes of a whole tree, computed from its entries.
type storage []tlog.Hash

func (s storage) ReadHashes(indexes []int64) (hashes []tlog.Hash, err error) {
	for _, index := range indexes {
		hashes = append(hashes, s[index])
	}
	return hashes, nil
}

// everyEntry computes the tree of all entries, which must have the root that was signed. It comes first, because
// TileHashReader before 0.40.0 leaves up to two tiles unchecked (CVE-2026-56865), and Debian has 0.7.0.
func everyEntry(base string, tree tlog.Tree) storage {
	var hashes storage
	for n := int64(0); n*width < tree.N; n++ {
		tile := tlog.Tile{H: height, L: -1, N: n, W: int(min(width, tree.N-n*width))}
		path := tilePath(tile)
		bundle, err := read(base, path)
		must(err, path)
		for i := 0; i < tile.W; i++ {
			if len(bundle) < 2 || len(bundle) < 2+int(binary.BigEndian.Uint16(bundle)) {
				fail("%s ends within entry %d", path, i)
			}
			end := 2 + int(binary.BigEndian.Uint16(bundle))
			added, err := tlog.StoredHashes(n*width+int64(i), bundle[2:end], hashes)
			must(err, path)
			hashes = append(hashes, added...)
			bundle = bundle[end:]
		}
		if len(bundle) > 0 {
			fail("%s has %d bytes after its entries", path, len(bundle))
		}
	}
	root, err := tlog.TreeHash(tree.N, hashes)
	must(err, "root")
	if tree.N == 0 {
		// x/mod gives an empty tree the hash zero, RFC 6962 the hash of nothing.
		root = sha256.Sum256(nil)
	}
	if root != tree.Hash {
		fail("the entries have the root %s, not %s", root, tree.Hash)
	}
	return hashes
}

// everyTile compares tiles with those of the computed tree.
func everyTile(size int64, files *files, hashes storage) (count int) {
	for level := 0; size>>uint(height*level) > 0; level++ {
		all := size >> uint(height*level)
		for n := int64(0); n*width < all; n++ {
			tile := tlog.Tile{H: height, L: level, N: n, W: int(min(width, all-n*width))}
			expected, err := tlog.ReadTileData(tile, hashes)
			must(err, tilePath(tile))
			data, err := files.ReadTiles([]tlog.Tile{tile})
			must(err, tilePath(tile))
			if !bytes.Equal(data[0], expected) {
				fail("%s is not of this tree", tilePath(tile))
			}
			count++
		}
	}
	return count
}

// drawnProofs proves entries from the tiles alone, as a reader does.
func drawnProofs(tree tlog.Tree, draws int, entries storage, files *files) int {
	drawn := []int64{}
	for i := 0; i < draws && tree.N > 0; i++ {
		drawn = append(drawn, rand.Int63n(tree.N))
	}
	if tree.N > 0 {
		drawn = append(drawn, 0, tree.N-1)
	}
	for _, index := range drawn {
		proof, err := tlog.ProveRecord(tree.N, index, tlog.TileHashReader(tree, files))
		must(err, "inclusion")
		leaf := entries[tlog.StoredHashIndex(0, index)]
		must(tlog.CheckRecord(proof, tree.N, tree.Hash, index, leaf), "inclusion")
	}
	return len(drawn)
}

// everyPair proves each larger tree to contain each smaller one, from the tiles that are published now.
func everyPair(trees []tlog.Tree, files *files) (count int) {
	published := trees[0]
	sort.SliceStable(trees, func(i, j int) bool { return trees[i].N < trees[j].N })
	for i, smaller := range trees {
		for _, larger := range trees[i+1:] {
			if larger.N > published.N {
				fail("the log had %d entries, now %d", larger.N, published.N)
			}
			count++
			if smaller.N == larger.N {
				if smaller.Hash != larger.Hash {
					fail("two roots of size %d: %s and %s", smaller.N, smaller.Hash, larger.Hash)
				}
				continue
			}
			if smaller.N == 0 {
				continue
			}
			// The partial tiles of an earlier size may be gone, so all hashes come from the published tree.
			proof, err := tlog.ProveTree(larger.N, smaller.N, tlog.TileHashReader(published, files))
			must(err, "consistency")
			must(tlog.CheckTree(proof, larger.N, larger.Hash, smaller.N, smaller.Hash), fmt.Sprintf("consistency of %d and %d", smaller.N, larger.N))
		}
	}
	return count
}

func read(base, path string) ([]byte, error) {
	if !strings.HasPrefix(base, "http://") && !strings.HasPrefix(base, "https://") {
		return os.ReadFile(filepath.Join(base, path))
	}
	response, err := http.Get(base + "/" + path)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", path, response.Status)
	}
	return io.ReadAll(response.Body)
}

func min(a, b int64) int64 {
	if a < b {
		return a
	}
	return b
}

func must(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func fail(format string, values ...interface{}) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}
