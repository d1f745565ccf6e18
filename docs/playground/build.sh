#!/bin/sh
# Builds the playground of the site: docs/public/playground.wasm.
#
# Rust's own target for WebAssembly is used if it is there, or if rustup can fetch it. Elsewhere Debian's
# packages for building browsers serve: they are unpacked into a folder of their own under target/, which
# needs no root, and kept there. `--debian` takes them in any case.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
triple=wasm32-unknown-unknown
out=$root/docs/public/playground.wasm

main() {
    cd "$root"
    if [ "${1-}" != --debian ] && have_target; then
        build "$target"
        put "$target"
    elif command -v apt-get >/dev/null && command -v dpkg >/dev/null; then
        use_debian "$target/wasm-toolchain"
        # Compiles the standard library, too, for Debian ships none for this target.
        RUSTC_BOOTSTRAP=1 build "$target/wasm-debian" -Z build-std=std,panic_abort
        put "$target/wasm-debian"
    else
        echo "the playground needs Rust's target $triple: run \`rustup target add $triple\`," \
            "or install your system's package of it (rust-std-static-$triple, rust-wasm, ...)" >&2
        exit 1
    fi
}

build() {
    into=$1
    shift
    cargo build --locked --quiet -p lexpool-playground --profile playground \
        --target $triple --target-dir "$into" "$@"
}

put() {
    cp "$1/$triple/playground/lexpool_playground.wasm" "$out"
    echo "playground.wasm: $(wc -c <"$out") bytes, $(gzip -9 -c "$out" | wc -c) compressed"
}

# Whether the compiler in use has the target, or rustup has fetched it now.
have_target() {
    has_target && return
    command -v rustup >/dev/null || return
    # Without a network it would try for minutes.
    if command -v timeout >/dev/null; then
        timeout 60 rustup target add $triple >/dev/null 2>&1
    else
        rustup target add $triple >/dev/null 2>&1
    fi && has_target
}

has_target() {
    [ -d "$(rustc --print sysroot)/lib/rustlib/$triple/lib" ]
}

# Puts Debian's compiler, in a folder, in the place of the one in use; unpacks it there if need be.
use_debian() {
    if [ ! -e "$1/whole" ]; then
        rm -rf "$1"
        mkdir -p "$1/packages"
        (
            cd "$1/packages"
            lists=$(own_lists)
            packages=$(to_fetch rustc-web cargo-web libstd-rust-web-dev rust-web-src)
            echo "fetching Debian's Rust for WebAssembly:" $packages
            # As root, it says that it works without being somebody else.
            apt-get $lists -o APT::Sandbox::User=root --quiet=2 download $packages
            for package in *.deb; do
                dpkg -x "$package" ..
                rm "$package"
            done
        )
        touch "$1/whole"
    fi
    libraries=$(find "$1/usr/lib" -name '*.so*' -exec dirname {} + | sort -u | paste -sd: -)
    export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH+:$LD_LIBRARY_PATH}"
    PATH=$(dirname "$(find "$1/usr" -name rustc -path '*/bin/*' | head -n 1)"):$PATH
    # Where rustup's are in use, they would go before.
    export PATH RUSTC="${PATH%%:*}/rustc"
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$(find "$1/usr" -name wasm-ld | head -n 1)
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER
}

# These packages, and what they need that is not installed.
to_fetch() {
    seen=" "
    todo=$*
    while [ -n "$todo" ]; do
        found=
        for package in $todo; do
            case $seen in *" $package "*) continue ;; esac
            seen="$seen$package "
            for need in $(needs "$package"); do
                is_installed "$need" || found="$found $need"
            done
        done
        todo=$found
    done
    echo $seen
}

# The libraries that a package needs, and with LLVM the linker of its version.
needs() {
    apt-cache $lists depends --no-recommends --no-suggests --no-conflicts --no-breaks \
        --no-replaces --no-enhances "$1" |
        sed -n -e 's/^ *Depends: libllvm\([0-9]*\)$/libllvm\1 lld-\1/p; t' \
            -e 's/^ *Depends: \(lib[^ ]*\)$/\1/p'
}

is_installed() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q ' installed$'
}

# Where the system has no lists of packages, ours are fetched: options for apt's programs.
own_lists() {
    apt-cache show rustc-web >/dev/null 2>&1 && return
    options="-o Dir::State::lists=$target/apt/lists -o Dir::Cache=$target/apt/cache"
    if [ ! -d "$target/apt/lists" ]; then
        mkdir -p "$target/apt/lists/partial" "$target/apt/cache/archives/partial"
        apt-get $options --quiet=2 update >&2 || {
            rm -rf "$target/apt"
            return 1
        }
    fi
    echo "$options"
}

main "$@"
