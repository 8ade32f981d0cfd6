#!/usr/bin/env bash
# usage: formats.sh PROGRAM OUT.jpg [FILE...]
# Every format's result beside ImageMagick's decode of the same file, reduced in linear light, and eight times their
# difference below. Without files: one of each kind that is made here from the samples.
set -euo pipefail
program=$1 out=$2
shift 2
# The one that fonts-dejavu-core installs; ImageMagick's own choice is in no package it depends on.
font=/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# make NAME COMMAND...: a file of the sheet, made by a command that is given its path last.
make() {
    local path=$work/files/$1
    shift
    "$@" "$path"
}

made() {
    local photo=$work/photo.png round=$work/round.png
    mkdir "$work/files"
    djpeg -pnm Samples/photos/forget-me-nots.jpg | convert - -resize 640x640 "PNG24:$photo"
    convert Samples/photos/avatar-round.png -resize 400x400 "PNG32:$round"
    convert "$photo" -colors 200 +dither "$work/colors.png"
    make plain.bmp convert "$photo"
    make palette.bmp convert "$work/colors.png" -type Palette -compress None
    make runs.bmp convert "$work/colors.png" -type Palette -compress RLE
    make two-colours.bmp convert "$photo" -colorspace Gray -ordered-dither o8x8 -monochrome -compress None
    make alpha.bmp convert "$round"
    make old.bmp sh -c 'convert "$1" "BMP2:$2"' sh "$work/colors.png"
    make lossy.webp cwebp -quiet -q 80 "$photo" -o
    make lossless.webp cwebp -quiet -lossless "$photo" -o
    make alpha.webp cwebp -quiet -q 80 "$round" -o
    make alpha-lossless.webp cwebp -quiet -lossless "$round" -o
    make plain.gif convert "$work/colors.png" -interlace none
    make interlaced.gif convert "$work/colors.png" -interlace GIF
    make transparent.gif convert "$round" -channel A -threshold 50% +channel -colors 100
    make animated.gif convert "$work/colors.png" \( "$work/colors.png" -negate \) -loop 0
    make strips.tif convert "$photo" -compress LZW
    make tiles.tif convert "$photo" -compress Zip -define tiff:tile-geometry=128x128
    make planes.tif convert "$photo" -compress Zip -interlace Plane
    make jpeg.tif convert "$photo" -compress JPEG -quality 95
    make alpha.tif convert "$round" -compress Zip
    make plain.png convert "$photo"
    make interlaced.png convert "$photo" -interlace PNG
    make alpha.png convert "$round"
    make deep.png sh -c 'convert "$1" -depth 16 "PNG48:$2"' sh "$photo"
    make baseline.jpg convert "$photo" -quality 95
    make progressive.jpg convert "$photo" -quality 95 -interlace JPEG
}

label() {
    convert -size 240x34 -background white -fill '#222' -gravity center -font "$font" -pointsize 12 "label:$1" "$2"
}

# A picture inside a cell, on grey.
cell() { convert "$1" -thumbnail '240x200>' -background '#ddd' -gravity center -extent 244x204 "$2"; }

if [ "$#" -eq 0 ]; then
    made
    set -- "$work"/files/*
fi
index=0
for file in "$@"; do
    index=$((index + 1))
    name=$(printf '%s/%04d' "$work" "$index")
    "$program" prepare "$file" --output "$name.out" --max-edge 240 --max-quality 100 --max-bytes 1MB --quiet \
        >"$name.json" || true
    result=$(find "$name.out" -name .attachprep -prune -o -type f -print 2>/dev/null | head -n 1)
    if [ -z "$result" ]; then
        convert -size 244x612 -gravity center -font "$font" 'label:no output' "$name.three.png"
        words="$(basename "$file")\nno output"
    else
        size=$(identify -format '%wx%h' "$result[0]")
        convert "$result[0]" -colorspace sRGB -type TrueColor "$name.result.png"
        if convert "$file[0]" -auto-orient -colorspace RGB -background white -alpha remove -alpha off \
            -filter Lanczos -resize "$size!" -colorspace sRGB -depth 8 -type TrueColor "$name.peer.png" 2>"$name.words"; then
            convert "$name.result.png" "$name.peer.png" -compose difference -composite -evaluate multiply 8 \
                "$name.difference.png"
            distance=$(compare -metric PSNR "$name.result.png" "$name.peer.png" null: 2>&1 || true)
        else
            convert -size "$size" xc:'#bbb' "$name.peer.png"
            cp "$name.peer.png" "$name.difference.png"
            distance='ImageMagick reads none'
        fi
        words="$(basename "$file")\n$size, $distance dB"
        for part in result peer difference; do cell "$name.$part.png" "$name.$part.cell.png"; done
        convert "$name.result.cell.png" "$name.peer.cell.png" "$name.difference.cell.png" -append \
            "$name.three.png"
    fi
    echo -e "${words/\\n/: }"
    label "$words" "$name.label.png"
    convert "$name.label.png" "$name.three.png" -gravity center -append +set label "$name.column.png"
done
montage -font "$font" -label "" "$work"/*.column.png -geometry +4+4 -tile 7x -background white -depth 8 -quality 85 \
    -strip "$out"
echo "$out: $(identify -format '%w x %h' "$out")"
